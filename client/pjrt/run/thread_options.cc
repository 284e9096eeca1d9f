#include "client/pjrt/run/thread_options.h"

namespace acceld::pjrt {

ThreadOptions& CurrentThreadOptions() {
  thread_local ThreadOptions options;
  return options;
}

}  // namespace acceld::pjrt
