#include "common/threads/thread_stack.h"

#include <pthread.h>

namespace acceld {

void EnsureThreadStacks() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  size_t bytes = 0;
  if (pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < kThreadStackBytes &&
      pthread_attr_setstacksize(&attributes, kThreadStackBytes) == 0) {
    // Fails for lack of memory only, which later allocations report.
    (void)pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace acceld
