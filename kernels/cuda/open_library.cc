#include "kernels/cuda/open_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::kernels::cuda {

absl::StatusOr<void*> OpenLibrary(absl::string_view name, absl::Span<const char* const> paths) {
  for (const char* path : paths) {
    if (void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no ", name, ": found none of ", absl::StrJoin(paths, ", ")));
}

}  // namespace acceld::kernels::cuda
