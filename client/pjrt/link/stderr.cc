#include <dlfcn.h>

// The C library's `stderr` for the static archives in this shared object, which were compiled to
// find it at an address known when linking (CMakeLists.txt). <cstdio> declares it otherwise, so it
// is not included.
extern "C" {
struct _IO_FILE;
_IO_FILE* stderr;
}

namespace {

__attribute__((constructor(101))) void TakeStderr() {
  if (void* const variable = dlsym(RTLD_NEXT, "stderr")) {
    stderr = *static_cast<_IO_FILE**>(variable);
  }
}

}  // namespace
