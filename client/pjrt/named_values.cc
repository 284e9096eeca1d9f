#include "client/pjrt/named_values.h"

#include <utility>

namespace acceld::pjrt {

PJRT_NamedValue& NamedValues::Append(absl::string_view name, PJRT_NamedValue_Type type) {
  const std::string& text = texts_.emplace_back(name);
  values_.push_back({.struct_size = sizeof(PJRT_NamedValue),
                     .extension_start = nullptr,
                     .name = text.data(),
                     .name_size = text.size(),
                     .type = type,
                     .value_size = 1});
  return values_.back();
}

void NamedValues::Add(absl::string_view name, absl::string_view value) {
  PJRT_NamedValue& added = Append(name, PJRT_NamedValue_kString);
  added.string_value = texts_.emplace_back(value).data();
  added.value_size = value.size();
}

void NamedValues::Add(absl::string_view name, int64_t value) {
  Append(name, PJRT_NamedValue_kInt64).int64_value = value;
}

void NamedValues::Add(absl::string_view name, float value) {
  Append(name, PJRT_NamedValue_kFloat).float_value = value;
}

void NamedValues::Add(absl::string_view name, std::vector<int64_t> value) {
  PJRT_NamedValue& added = Append(name, PJRT_NamedValue_kInt64List);
  added.value_size = value.size();
  added.int64_array_value = numbers_.emplace_back(std::move(value)).data();
}

}  // namespace acceld::pjrt
