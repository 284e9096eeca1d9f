#include "client/pjrt/thread_options.h"

namespace acceld::pjrt {

ThreadOptions& CurrentThreadOptions() {
  thread_local ThreadOptions options;
  return options;
}

}  // namespace acceld::pjrt
