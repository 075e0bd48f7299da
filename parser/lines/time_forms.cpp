#include "parser/lines/time_forms.h"

#include <array>
#include <chrono>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr int kNoYear = 2000;  // yearless stamps are kept in a leap year

// Exactly `digits` decimal digits.
std::optional<int> number(std::string_view* t, std::size_t digits) {
  if (t->size() < digits) return std::nullopt;
  const auto value = parse_int<int>(t->substr(0, digits));
  if (!value || *value < 0) return std::nullopt;
  t->remove_prefix(digits);
  return value;
}

struct TimeOfDay {
  int hour, minute, second;
  std::int64_t fraction_ns = 0;
  std::int64_t resolution_ns = kSecond;
};

// "03:44:59", "03:44:59.594968084", "03:44:59,123"
std::optional<TimeOfDay> time_of_day(std::string_view* text) {
  std::string_view t = *text;
  TimeOfDay out{};
  const auto h = number(&t, 2);
  if (!h || !consume(&t, ":")) return std::nullopt;
  const auto m = number(&t, 2);
  if (!m || !consume(&t, ":")) return std::nullopt;
  const auto s = number(&t, 2);
  if (!s || *h > 23 || *m > 59 || *s > 60) return std::nullopt;
  out.hour = *h;
  out.minute = *m;
  out.second = *s;
  if (!t.empty() && (t[0] == '.' || t[0] == ',') && t.size() > 1 && t[1] >= '0' && t[1] <= '9') {
    t.remove_prefix(1);
    std::int64_t unit = kSecond;
    while (!t.empty() && t[0] >= '0' && t[0] <= '9') {
      if (unit > 1) {
        unit /= 10;
        out.fraction_ns += (t[0] - '0') * unit;
      }
      t.remove_prefix(1);
    }
    out.resolution_ns = unit;
  }
  *text = t;
  return out;
}

Stamp printed(Clock clock, std::int64_t ns, std::int64_t resolution, bool yearless) {
  Stamp out;
  out.clock = clock;
  out.grade = StampGrade::printed;
  out.yearless = yearless;
  out.time = Interval::between(ns, ns + resolution - 1);
  return out;
}

std::optional<std::int64_t> at(int year, int month, int day, const TimeOfDay& tod) {
  const auto ns = civil_ns(year, month, day, tod.hour, tod.minute, tod.second);
  if (!ns) return std::nullopt;
  return *ns + tod.fraction_ns;
}

constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::string_view kDays[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};

std::optional<int> month_name(std::string_view* t) {
  for (int i = 0; i < 12; ++i) {
    if (consume(t, kMonths[i])) return i + 1;
  }
  return std::nullopt;
}

// "2026-12-01T03:44:47.902+00:00", "2026-12-01 03:44:47,902", with or without "[...]"
std::optional<Stamp> iso(std::string_view* text) {
  std::string_view t = *text;
  const bool bracket = consume(&t, "[");
  const auto y = number(&t, 4);
  if (!y || *y < 1990 || *y > 2200 || !consume(&t, "-")) return std::nullopt;
  const auto mo = number(&t, 2);
  if (!mo || !consume(&t, "-")) return std::nullopt;
  const auto d = number(&t, 2);
  if (!d || (!consume(&t, "T") && !consume(&t, " ") && !consume(&t, "_"))) return std::nullopt;
  const auto tod = time_of_day(&t);
  if (!tod) return std::nullopt;
  const auto ns = at(*y, *mo, *d, *tod);
  if (!ns) return std::nullopt;
  Clock clock = Clock::wall;
  std::int64_t offset = 0;
  if (consume(&t, "Z")) {
    clock = Clock::utc;
  } else if (!t.empty() && (t[0] == '+' || t[0] == '-')) {
    std::string_view z = t.substr(1);
    const auto zh = number(&z, 2);
    consume(&z, ":");
    const auto zm = number(&z, 2);
    if (zh && zm && *zh < 15) {
      offset = (*zh * 3600 + *zm * 60) * kSecond * (t[0] == '+' ? 1 : -1);
      clock = Clock::utc;
      t = z;
    }
  }
  if (bracket && !consume(&t, "]")) return std::nullopt;
  if (!t.empty() && t[0] != ' ' && t[0] != '\t' && !bracket) return std::nullopt;
  consume(&t, " ");
  *text = t;
  return printed(clock, *ns - offset, tod->resolution_ns, false);
}

// "Aug 10 15:36:05 gpu17 kernel: "
std::optional<Stamp> syslog(std::string_view* text, std::string* host) {
  std::string_view t = *text;
  const auto mo = month_name(&t);
  if (!mo || !consume(&t, " ")) return std::nullopt;
  consume(&t, " ");
  const auto d = consume_int(&t);
  if (!d || *d > 31 || !consume(&t, " ")) return std::nullopt;
  const auto tod = time_of_day(&t);
  if (!tod || !consume(&t, " ")) return std::nullopt;
  const auto ns = at(kNoYear, *mo, static_cast<int>(*d), *tod);
  if (!ns) return std::nullopt;
  const auto name = consume_until(&t, " ");
  if (!name || name->ends_with(":")) return std::nullopt;
  *host = std::string(*name);
  *text = t;
  return printed(Clock::wall, *ns, tod->resolution_ns, true);
}

// "[Sun Feb 23 16:24:18 2025] " of dmesg -T
std::optional<Stamp> ctime_form(std::string_view* text) {
  std::string_view t = *text;
  const bool bracket = consume(&t, "[");
  bool day = false;
  for (const std::string_view name : kDays) day = day || consume(&t, name);
  if (!day) return std::nullopt;
  const auto mo = month_name(&t);
  if (!mo || !consume(&t, " ")) return std::nullopt;
  consume(&t, " ");
  const auto d = consume_int(&t);
  if (!d || *d > 31 || !consume(&t, " ")) return std::nullopt;
  const auto tod = time_of_day(&t);
  if (!tod || !consume(&t, " ")) return std::nullopt;
  const auto y = number(&t, 4);
  if (!y || (bracket && !consume(&t, "]"))) return std::nullopt;
  consume(&t, " ");
  const auto ns = at(*y, *mo, static_cast<int>(*d), *tod);
  if (!ns) return std::nullopt;
  *text = t;
  return printed(Clock::wall, *ns, tod->resolution_ns, false);
}

}  // namespace

std::optional<std::int64_t> civil_ns(int year, int month, int day, int hour, int minute,
                                     int second) {
  if (year < 1990 || year > 2200) return std::nullopt;  // nanoseconds would overflow in 2262
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60 * kSecond + second * kSecond;
}

std::optional<Stamp> consume_boot_time(std::string_view* text) {
  std::string_view t = *text;
  if (!consume(&t, "[")) return std::nullopt;
  while (consume(&t, " ")) {
  }
  const auto seconds = consume_int(&t);
  if (!seconds || *seconds > 4'000'000'000 || !consume(&t, ".") || t.size() < 6)
    return std::nullopt;
  const auto micro = number(&t, 6);
  if (!micro || !consume(&t, "]")) return std::nullopt;
  consume(&t, " ");
  *text = t;
  return printed(Clock::boot, *seconds * kSecond + *micro * 1000, 1000, false);
}

std::optional<Stamp> consume_wall_time(std::string_view* text, std::string* host) {
  if (auto out = iso(text)) {
    // journalctl -o short-iso: "2026-05-17T03:12:44+0800 node-d kernel: "
    std::string_view t = *text;
    const auto name = consume_until(&t, " ");
    if (name && !name->empty() && (t.starts_with("kernel: ") || t.starts_with("systemd["))) {
      *host = std::string(*name);
      *text = t;
    }
    return out;
  }
  if (auto out = ctime_form(text)) return out;
  return syslog(text, host);
}

std::optional<Stamp> consume_c10d_time(std::string_view* text) {
  std::string_view t = *text;
  const auto date = consume_int(&t);
  if (!date || *date < 101 || *date > 1231 || !consume(&t, " ")) return std::nullopt;
  const auto tod = time_of_day(&t);
  if (!tod) return std::nullopt;
  const auto ns = civil_ns(kNoYear, static_cast<int>(*date / 100), static_cast<int>(*date % 100),
                           tod->hour, tod->minute, tod->second);
  if (!ns) return std::nullopt;
  *text = t;
  Stamp out = printed(Clock::wall, *ns, kSecond, true);
  if (tod->resolution_ns < kMillisecond)
    out.monotonic_fraction_ns = static_cast<std::int32_t>(tod->fraction_ns);
  return out;
}

std::optional<Stamp> consume_python_log_time(std::string_view* text) {
  std::string_view t = *text;
  const auto mo = number(&t, 2);
  const auto d = mo ? number(&t, 2) : std::nullopt;
  if (!d || !consume(&t, " ")) return std::nullopt;
  const auto tod = time_of_day(&t);
  if (!tod) return std::nullopt;
  const auto ns = at(kNoYear, *mo, *d, *tod);
  if (!ns) return std::nullopt;
  *text = t;
  return printed(Clock::wall, *ns, kMillisecond, true);
}

}  // namespace firstfault
