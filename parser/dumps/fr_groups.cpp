#include "parser/dumps/fr_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kNameBytes = 512;
constexpr std::size_t kMaxRows = 65536;

struct ConfigRow {
  std::optional<std::int64_t> pg_id;  // format 1.x: the key
  std::string name, desc;
  std::optional<RankSet> members;
  std::optional<std::size_t> group;  // index into FrDump::groups
};

struct StatusRow {
  std::int64_t pg_id = -1;
  std::optional<std::int64_t> enqueued, started, completed;
  bool joined = false;
};

// Member lists share one budget, so that a list named by many rows cannot multiply.
class Members {
 public:
  explicit Members(const Document& doc)
      : doc_(doc), budget_((1u << 20) + 4 * doc.counters().bytes) {}

  std::optional<RankSet> read(const Value& ranks) {
    std::vector<std::int32_t> out;
    if (ranks.is(ValueKind::text)) {
      const std::string_view text = doc_.text(ranks);
      if (!spend(text.size())) return std::nullopt;
      // Every rank is written out, so there are never more ranks than characters.
      Result<RankSet> set = RankSet::parse(text, text.size());
      if (!set) return std::nullopt;
      return std::move(set).value();
    }
    if (!ranks.is(ValueKind::list) || !doc_.closed(ranks) || !spend(doc_.size(ranks))) {
      return std::nullopt;
    }
    Children list = doc_.children(ranks);
    while (const Value* rank = list.next()) {
      const std::optional<std::int64_t> r = doc_.number(*rank);
      if (!r || *r < 0 || *r >= 1 << 30) return std::nullopt;
      out.push_back(static_cast<std::int32_t>(*r));
    }
    return RankSet(std::move(out));
  }

  bool overdrawn() const { return overdrawn_; }

 private:
  bool spend(std::uint64_t n) {
    if (n > budget_) overdrawn_ = true;
    if (overdrawn_) return false;
    budget_ -= n;
    return true;
  }

  const Document& doc_;
  std::uint64_t budget_;
  bool overdrawn_ = false;
};

std::string utf8(std::string_view bytes) { return to_utf8(bytes, kNameBytes, nullptr); }

std::vector<ConfigRow> read_config(const Document& doc, const Value& pg_config, Members* members) {
  std::vector<ConfigRow> rows;
  if (!pg_config.is(ValueKind::dict)) return rows;
  Children pairs = doc.children(pg_config);
  while (rows.size() < kMaxRows) {
    const Value* key = pairs.next();
    if (key == nullptr) break;
    const Value* value = pairs.next();
    ConfigRow row;
    if (key->is(ValueKind::integer)) {
      row.pg_id = key->integer();
    } else {
      row.name = utf8(doc.text(*key));
    }
    if (value->is(ValueKind::dict)) {
      if (!doc.closed(*value) || doc.size(*value) > 64) continue;
      if (const Value* name = doc.find(*value, "name")) row.name = utf8(doc.text(*name));
      if (const Value* desc = doc.find(*value, "desc")) row.desc = utf8(doc.text(*desc));
      if (row.desc == "undefined") row.desc.clear();
      if (const Value* ranks = doc.find(*value, "ranks")) row.members = members->read(*ranks);
    } else {
      row.members = members->read(*value);
      if (!row.members) continue;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<StatusRow> read_status(const Document& doc, const Value& pg_status) {
  std::vector<StatusRow> rows;
  if (!pg_status.is(ValueKind::dict)) return rows;
  Children pairs = doc.children(pg_status);
  while (rows.size() < kMaxRows) {
    const Value* key = pairs.next();
    if (key == nullptr) break;
    const Value* value = pairs.next();
    const std::optional<std::int64_t> id = doc.number(*key);
    if (!id || !value->is(ValueKind::dict) || !doc.closed(*value) || doc.size(*value) > 64)
      continue;
    const auto field = [&](std::string_view name) -> std::optional<std::int64_t> {
      const Value* v = doc.find(*value, name);
      return v == nullptr ? std::nullopt : doc.number(*v);
    };
    rows.push_back({*id, field("last_enqueued_collective"), field("last_started_collective"),
                    field("last_completed_collective"), false});
  }
  std::sort(rows.begin(), rows.end(),
            [](const StatusRow& a, const StatusRow& b) { return a.pg_id < b.pg_id; });
  return rows;
}

class Joiner {
 public:
  Joiner(std::vector<std::set<std::int64_t>> pg_ids, std::vector<ConfigRow> config,
         std::vector<StatusRow> status, FrDump* dump)
      : pg_ids_(std::move(pg_ids)),
        config_(std::move(config)),
        status_(std::move(status)),
        dump_(*dump) {
    for (std::size_t g = 0; g < pg_ids_.size(); ++g) {
      groups_of_name_[dump_.groups[g].name].push_back(g);
      for (const std::int64_t id : pg_ids_[g]) {
        auto [at, fresh] = group_of_id_.try_emplace(id, g);
        if (!fresh || pg_ids_[g].size() > 1) at->second = std::nullopt;  // ambiguous
      }
    }
  }

  void join() {
    join_config();
    for (StatusRow& row : status_) {
      auto at = group_of_id_.find(row.pg_id);
      if (at == group_of_id_.end()) continue;
      row.joined = true;  // known by entries, if only as ambiguous
      if (at->second) give(row, *at->second);
    }
    join_by_position();
  }

 private:
  void give(const StatusRow& row, std::size_t group) {
    FrGroup& g = dump_.groups[group];
    g.last_enqueued = row.enqueued;
    g.last_started = row.started;
    g.last_completed = row.completed;
  }

  std::optional<std::size_t> group_of(const ConfigRow& row) const {
    if (row.pg_id) {
      auto at = group_of_id_.find(*row.pg_id);
      return at == group_of_id_.end() ? std::nullopt : at->second;
    }
    auto named = groups_of_name_.find(row.name);
    if (named == groups_of_name_.end()) return std::nullopt;
    for (const std::size_t g : named->second) {
      if (row.desc.empty() || row.desc == dump_.groups[g].desc) return g;
    }
    return std::nullopt;
  }

  void join_config() {
    // gloo's single row of torch 2.14, which says nothing about which group it means.
    const bool nameless = config_.size() == 1 && config_[0].name.empty() && !config_[0].pg_id;
    if (nameless) {
      if (pg_ids_.size() == 1 && status_.size() <= 1) {
        config_[0].group = 0;
        dump_.groups[0].members = config_[0].members;
      }
      return;
    }
    std::map<std::string, std::size_t> rows_of_name;
    for (const ConfigRow& row : config_) ++rows_of_name[row.name];
    for (ConfigRow& row : config_) {
      if (!row.pg_id && (row.name.empty() || rows_of_name[row.name] > 1)) continue;
      row.group = group_of(row);
      if (row.group) {
        dump_.groups[*row.group].members = row.members;
      } else if (!row.pg_id || !group_of_id_.contains(*row.pg_id)) {
        row.group = dump_.groups.size();
        FrGroup group;
        group.name = row.name;
        group.desc = row.desc;
        group.members = row.members;
        dump_.groups.push_back(std::move(group));
      }
      if (row.group && row.pg_id) group_of_id_.try_emplace(*row.pg_id, row.group);
    }
  }

  void join_by_position() {
    if (config_.empty() || config_.size() != status_.size()) return;
    std::vector<std::pair<std::int64_t, std::size_t>> order;  // numeric name, group
    for (const ConfigRow& row : config_) {
      const std::optional<std::int64_t> number = parse_int<std::int64_t>(row.name);
      if (!number || !row.group) return;
      order.emplace_back(*number, *row.group);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto known = group_of_id_.find(status_[i].pg_id);
      if (known != group_of_id_.end() && known->second != order[i].second) return;
      if (known == group_of_id_.end() && order[i].second < pg_ids_.size() &&
          !pg_ids_[order[i].second].empty()) {
        return;  // that group's entries carry another number
      }
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!status_[i].joined) give(status_[i], order[i].second);
    }
  }

  std::vector<std::set<std::int64_t>> pg_ids_;
  std::vector<ConfigRow> config_;
  std::vector<StatusRow> status_;
  FrDump& dump_;
  // By the entries, and by pg_config where that is keyed by number; nullopt: several groups.
  std::map<std::int64_t, std::optional<std::size_t>> group_of_id_;
  std::map<std::string, std::vector<std::size_t>> groups_of_name_;
};

}  // namespace

Status join_groups(const Document& doc, const Value& pg_config, const Value& pg_status,
                   std::vector<std::set<std::int64_t>> pg_ids, FrDump* dump) {
  Members members(doc);
  std::vector<ConfigRow> config = read_config(doc, pg_config, &members);
  if (members.overdrawn()) return Error{"Flight Recorder dump: member lists are too long"};
  Joiner(std::move(pg_ids), std::move(config), read_status(doc, pg_status), dump).join();
  return Done{};
}

}  // namespace firstfault
