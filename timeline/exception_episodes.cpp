// Uncaught exceptions. A traceback, its error.json and the launcher's copy are one episode. Where
// an event or a record of the same lines says what the exception passes on (a CUDA error, a remote
// error, a missed barrier), that is the episode and the exception only adds its place.
#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "timeline/episode_maker.h"

namespace firstfault {

namespace {

constexpr std::size_t kLinesCompared = 8;
constexpr std::size_t kShortestLine = 8;
constexpr std::size_t kComparedBytes = 60;
constexpr std::uint32_t kLauncherBlock = 60;  // lines between an exit entry and its traceback

std::string last_component(std::string_view type) {
  const std::size_t dot = type.rfind('.');
  return std::string(dot == std::string_view::npos ? type : type.substr(dot + 1));
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// "ValueError: batch 4 has 0 tokens", however the parts were split.
std::string key_of(const ExceptionReport& exception) {
  const std::string type = last_component(exception.type);
  std::string_view message = trim(first_line(exception.message));
  if (const std::size_t colon = message.find(": "); colon != std::string_view::npos) {
    if (type.empty() || last_component(message.substr(0, colon)) == type) {
      return last_component(message.substr(0, colon)) + ": " +
             std::string(message.substr(colon + 2, 200));
    }
  }
  return type + ": " + std::string(message.substr(0, 200));
}

// Does the text of an event stand in this exception's message (or the other way round)?
bool same_words(std::string_view event_text, const ExceptionReport& exception) {
  std::size_t n = 0;
  for (std::string_view line : split(exception.message, '\n')) {
    line = trim(line);
    if (n++ >= kLinesCompared) break;
    if (line.size() < (n == 1 ? 3 : kShortestLine)) continue;
    if (event_text.find(line.substr(0, kComparedBytes)) != std::string_view::npos) return true;
    // An event may quote only the part that its rule saw, with or without the type in front.
    std::string_view event_line = trim(first_line(event_text));
    if (const std::size_t type = event_line.find(last_component(exception.type) + ": ");
        !exception.type.empty() && type != std::string_view::npos) {
      event_line = event_line.substr(type + last_component(exception.type).size() + 2);
    }
    if (event_line.size() >= 2 * kShortestLine && line.find(event_line) != std::string_view::npos) {
      return true;
    }
  }
  const std::string type = last_component(exception.type);
  return exception.message.empty() && !type.empty() &&
         event_text.find(type) != std::string_view::npos;
}

// What an exception of this type is when nothing else explains its lines. nullptr: no failure of a
// rank (the launcher's own way out).
struct TypeClass {
  std::string_view type;
  const char* cls;
};
constexpr TypeClass kTypes[] = {
    {"ChildFailedError", nullptr},
    {"SignalException", nullptr},
    {"SystemExit", nullptr},
    {"ProcessExitedException", nullptr},
    {"ProcessRaisedException", nullptr},
    {"KeyboardInterrupt", "echo.terminated_by_launcher"},
    {"DistBackendError", "echo.nccl_error"},
    {"DistNetworkError", "env.rendezvous"},
    {"DistStoreError", "env.rendezvous"},
    {"OutOfMemoryError", "cuda.out_of_memory"},
};

// Texts of c10d whose record is the episode, wherever it stands.
struct TextClass {
  std::string_view text;
  const char* cls;
};
constexpr TextClass kTexts[] = {
    {"Detected mismatch between collectives", "coll.fingerprint_mismatch"},
    {"failed to pass monitoredBarrier", "coll.barrier_missing"},
    {"successfully reached monitoredBarrier", "echo.barrier_reached"},
    {"is setting up NCCL communicator and retrieving", "echo.store_wait"},
    {"Watchdog caught collective operation timeout", "echo.watchdog_timeout"},
};

// What torch.distributed raises when the other side of a socket is late or gone.
constexpr TextClass kPeerTexts[] = {
    {"Socket Timeout", "echo.store_wait"},
    {"wait timeout after", "echo.store_wait"},
    {"Timed out waiting", "echo.store_wait"},
    {"The client socket has timed out", "env.rendezvous"},
    {"Connection closed by peer", "echo.peer_closed"},
    {"Connection reset by peer", "echo.peer_closed"},
    {"failed to recv, got 0 bytes", "echo.peer_closed"},
    {"NCCL communicator was aborted", "echo.nccl_error"},
};

const char* class_of(const ExceptionReport& exception) {
  const std::string name = last_component(exception.type);
  for (const TypeClass& row : kTypes) {
    if (row.type == name) return row.cls;
  }
  const bool distributed = std::any_of(
      exception.frames.begin(), exception.frames.end(),
      [](const StackFrame& f) { return f.file.find("torch/distributed/") != std::string::npos; });
  if (distributed) {
    for (const TextClass& row : kPeerTexts) {
      if (exception.message.find(row.text) != std::string::npos) return row.cls;
    }
  }
  return "app.exception";
}

bool noise(const std::string& cls) {
  return cls.starts_with("noise.") || cls.starts_with("context.");
}

}  // namespace

// The rank of a traceback inside a launcher's failure block: that of the entry above it.
std::int32_t EpisodeMaker::rank_of_exception(const Place& at) const {
  if (at.said.rank >= 0 && !at.said.agent) return at.said.rank;
  const std::uint32_t line = at.item->quote.line;
  if (line == 0) return -1;
  std::int32_t rank = -1;
  for (const ExitSeen& exit : ranks_.exits()) {
    if (exit.source != at.source || exit.item->quote.line > line) continue;
    if (line - exit.item->quote.line <= kLauncherBlock) rank = exit.rank;
  }
  return rank;
}

void EpisodeMaker::exceptions() {
  struct Open {
    Place at;
    const ExceptionReport* exception;
    std::string key;
  };
  std::vector<Open> open;
  std::map<std::tuple<std::int32_t, std::int32_t, std::string>, std::string> covered;  // -> class
  const auto& sources = scene_.facts.sources;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    for (const RecordItem& item : sources[s].records) {
      const auto* exception = std::get_if<ExceptionReport>(&item.record);
      if (exception == nullptr) continue;
      Place at{s, &item, scene_.said(s, item)};
      const auto* type = std::find_if(
          std::begin(kTypes), std::end(kTypes),
          [&](const TypeClass& t) { return t.type == last_component(exception->type); });
      if (type != std::end(kTypes) && type->cls == nullptr) continue;
      const std::int32_t rank = rank_of_exception(at);
      if (rank < 0 && at.said.agent) continue;
      at.said.rank = rank;
      at.said.agent = false;
      const std::string key = key_of(*exception);
      const auto text_lines = static_cast<std::uint32_t>(
          std::count(exception->message.begin(), exception->message.end(), '\n'));
      const auto frames = static_cast<std::uint32_t>(exception->frames.size());
      const std::uint32_t span =
          4 * frames + text_lines + 12 + (exception->cause_type.empty() ? 0 : 120);
      const std::uint32_t line = item.quote.line;
      const std::uint32_t from = line > span ? line - span : 0;
      std::string cls;
      for (const EventItem* event :
           nearby_.events(s, item.speaker, line == 0 ? 0 : from, line == 0 ? 0 : line + span)) {
        if (noise(event->event.cls)) continue;
        const bool same_line = line > 0 && event->quote.line == line;
        if (!same_line && !same_words(event->quote.text, *exception)) continue;
        cls = event->event.cls;
        break;
      }
      // A repeated event is quoted at its first place only.
      for (const EventItem* event : nearby_.folded(s)) {
        if (!cls.empty() || noise(event->event.cls)) continue;
        const Voice& voice = scene_.identity.voice(s, event->speaker);
        if (voice.rank == rank && same_words(event->quote.text, *exception)) cls = event->event.cls;
      }
      for (const TextClass& text : kTexts) {
        if (cls.empty() && exception->message.find(text.text) != std::string::npos &&
            book_.has(at.said.attempt, text.cls, rank)) {
          cls = text.cls;
        }
      }
      if (!cls.empty()) {
        covered.try_emplace({at.said.attempt, rank, key}, cls);
        later_.emplace_back(at.said.attempt, cls, rank, s, item.quote);
      } else {
        open.push_back({at, exception, key});
      }
    }
  }
  for (const Open& o : open) {
    const auto same = covered.find({o.at.said.attempt, o.at.said.rank, o.key});
    if (same != covered.end()) {
      later_.emplace_back(o.at.said.attempt, same->second, o.at.said.rank, o.at.source,
                          o.at.item->quote);
      continue;
    }
    Episode e = by_rank(o.at, class_of(*o.exception));
    if (!e.cls.starts_with("echo.nccl")) e.about = e.reporter;
    const std::size_t colon = o.key.find(": ");
    e.captures.push_back(make_capture("type", o.key.substr(0, colon)));
    e.captures.push_back(make_capture("message", o.key.substr(colon + 2)));
    if (!o.exception->frames.empty()) {
      const StackFrame& f = o.exception->frames.back();
      e.captures.push_back(make_capture("text", std::string(base_name(f.file)) + ":" +
                                                    std::to_string(f.line) + " in " + f.function));
    }
    add(o.at, std::move(e));
  }
}

}  // namespace firstfault
