#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/pjrt/abi/abi.h"

namespace acceld::pjrt {

// A list of named values for the framework. The list owns the texts and numbers that its values
// point to.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(const NamedValues&) = delete;
  NamedValues& operator=(const NamedValues&) = delete;

  void Add(absl::string_view name, absl::string_view value);
  void Add(absl::string_view name, int64_t value);
  void Add(absl::string_view name, float value);
  void Add(absl::string_view name, std::vector<int64_t> value);

  const PJRT_NamedValue* data() const { return values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  PJRT_NamedValue& Append(absl::string_view name, PJRT_NamedValue_Type type);

  std::vector<PJRT_NamedValue> values_;
  std::deque<std::string> texts_;             // Referenced by values_.
  std::deque<std::vector<int64_t>> numbers_;  // Referenced by values_.
};

}  // namespace acceld::pjrt
