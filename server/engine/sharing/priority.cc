#include "server/engine/engine.h"

namespace acceld::engine {

absl::string_view PriorityName(Priority priority) {
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

}  // namespace acceld::engine
