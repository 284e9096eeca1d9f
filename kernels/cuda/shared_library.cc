#include "kernels/cuda/shared_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::kernels::cuda {

absl::StatusOr<SharedLibrary> SharedLibrary::Open(absl::string_view name,
                                                  absl::Span<const char* const> paths) {
  for (const char* path : paths) {
    if (void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
      return SharedLibrary(name, handle);
    }
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no ", name, ": found none of ", absl::StrJoin(paths, ", ")));
}

absl::StatusOr<void*> SharedLibrary::AddressOf(const char* symbol) const {
  if (void* const address = dlsym(handle_, symbol)) return address;
  return absl::FailedPreconditionError(absl::StrCat(name_, " has no ", symbol));
}

}  // namespace acceld::kernels::cuda
