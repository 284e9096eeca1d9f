#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld {

// Whose work goes first where several sessions want the same device or thread. The classes share
// the time 1 : 8 : 64 (common/threads/fair_schedule.h), so a lower class is slow but never starves.
enum class Priority : uint8_t { kBatch, kNormal, kInteractive };
inline constexpr size_t kNumPriorities = 3;

// "batch", "normal", "interactive".
constexpr absl::string_view PriorityName(Priority priority) {
  switch (priority) {
    case Priority::kBatch:
      return "batch";
    case Priority::kNormal:
      return "normal";
    case Priority::kInteractive:
      return "interactive";
  }
  return "";
}

}  // namespace acceld
