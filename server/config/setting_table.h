#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "server/config/setting.h"

namespace acceld::config {

// The smallest and the largest allowed value, in counts, bytes or seconds.
struct Range {
  double min = 0, max = 0;
};

// Collects the rows of the table of settings. The functions below add a row for a field of
// DaemonConfig, named by an accessor, and return the row for further changes; the returned
// reference is valid until the next row is added. Whole numbers may go to fields of any integer
// type:
//
//   Count("cpu-devices", {1, 64}, [](DaemonConfig& c) -> auto& { return c.engine.cpu_devices; },
//   ...)
class SettingTable {
 public:
  // Sets the group of the rows that follow.
  void Group(std::string name) { group_ = std::move(name); }

  // For whole numbers.
  template <typename Field>
  Setting& Count(const char* name, Range range, Field field, const char* help) {
    return Number(name, SettingType::kCount, range, field, help);
  }
  // For numbers of bytes.
  template <typename Field>
  Setting& Size(const char* name, Range range, Field field, const char* help) {
    return Number(name, SettingType::kSize, range, field, help);
  }
  // For a field of std::chrono::milliseconds.
  template <typename Field>
  Setting& Seconds(const char* name, Range range, Field field, const char* help) {
    Setting& row = Add(name, SettingType::kSeconds, help);
    row.fallback = static_cast<double>(field(defaults_).count()) / 1000;
    row.min = range.min;
    row.max = range.max;
    row.apply = [field](const Value& value, DaemonConfig& config) {
      field(config) =
          std::chrono::milliseconds(static_cast<int64_t>(std::get<double>(value) * 1000));
    };
    return row;
  }
  // For a field of std::string; `value_name` is its placeholder in help.
  template <typename Field>
  Setting& Text(const char* name, const char* value_name, Field field, const char* help) {
    Setting& row = Add(name, SettingType::kText, help);
    row.value_name = value_name;
    row.fallback = field(defaults_);
    row.apply = [field](const Value& value, DaemonConfig& config) {
      field(config) = std::get<std::string>(value);
    };
    return row;
  }
  // For a field of std::vector<std::string>.
  template <typename Field>
  Setting& List(const char* name, const char* value_name, Field field, const char* help) {
    Setting& row = Add(name, SettingType::kList, help);
    row.value_name = value_name;
    row.fallback = field(defaults_);
    row.apply = [field](const Value& value, DaemonConfig& config) {
      field(config) = std::get<std::vector<std::string>>(value);
    };
    return row;
  }
  // Adds a row without a field; the caller sets its default, `check` and `apply`.
  Setting& Add(const char* name, SettingType type, const char* help) {
    rows_.push_back({.name = name, .help = help, .group = group_, .type = type});
    return rows_.back();
  }

  // Returns the rows collected.
  std::vector<Setting> Take() { return std::move(rows_); }

 private:
  template <typename Field>
  Setting& Number(const char* name, SettingType type, Range range, Field field, const char* help) {
    Setting& row = Add(name, type, help);
    row.fallback = static_cast<int64_t>(field(defaults_));
    row.min = range.min;
    row.max = range.max;
    row.apply = [field](const Value& value, DaemonConfig& config) {
      auto& number = field(config);
      number = static_cast<std::decay_t<decltype(number)>>(std::get<int64_t>(value));
    };
    return row;
  }

  std::string group_;
  std::vector<Setting> rows_;
  DaemonConfig defaults_;
};

}  // namespace acceld::config
