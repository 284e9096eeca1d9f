#pragma once

#include "common/threads/fair_schedule.h"
#include "server/engine/engine.h"

namespace acceld::engine {

// Returns the class of a priority for the schedules (fair_schedule.h).
inline PriorityClass ClassOf(Priority priority) {
  switch (priority) {
    case Priority::kBatch:
      return PriorityClass::kBatch;
    case Priority::kNormal:
      return PriorityClass::kNormal;
    case Priority::kInteractive:
      return PriorityClass::kInteractive;
  }
  return PriorityClass::kNormal;
}

}  // namespace acceld::engine
