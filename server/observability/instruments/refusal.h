#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld::observability {

// The reasons for which callers are refused: see refusals.def.
enum class Refusal : uint8_t {
#define ACCELD_REFUSAL(Id, name) k##Id,
#include "server/observability/instruments/refusals.def"
#undef ACCELD_REFUSAL
};

// The labels, by Refusal.
constexpr absl::string_view kRefusalNames[] = {
#define ACCELD_REFUSAL(Id, name) name,
#include "server/observability/instruments/refusals.def"
#undef ACCELD_REFUSAL
};
constexpr size_t kNumRefusals = sizeof(kRefusalNames) / sizeof(kRefusalNames[0]);

// Returns the label of a reason.
constexpr absl::string_view NameOf(Refusal reason) {
  return kRefusalNames[static_cast<size_t>(reason)];
}

}  // namespace acceld::observability
