#include "kernels/cuda/cusolver/cusolver.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/open_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first (12 is CUDA 13's, 11 CUDA 12's), by the loader's path and where the toolkit is
// installed by default.
constexpr const char* kLibraries[] = {"libcusolver.so.12", "libcusolver.so.11",
                                      "/usr/local/cuda/lib64/libcusolver.so",
                                      "/usr/local/cuda/lib/libcusolver.so"};

absl::StatusOr<Cusolver> Open() {
  ACCELD_ASSIGN_OR_RETURN(void* const library, OpenLibrary("cuSOLVER", kLibraries));
  Cusolver table;
  using Result = Cusolver::Result;
  using Handle = Cusolver::Handle;
  using Stream = Cusolver::Stream;
#define ACCELD_CUSOLVER_SYMBOL(name, parameters)                              \
  table.name = reinterpret_cast<Result(*) parameters>(dlsym(library, #name)); \
  if (table.name == nullptr) return absl::FailedPreconditionError("cuSOLVER has no " #name);
#define ACCELD_CUSOLVER_TYPED(name, real, complex, parameters)                                     \
  {                                                                                                \
    const char* const names[] = {"cusolverDnS" #real, "cusolverDnD" #real, "cusolverDnC" #complex, \
                                 "cusolverDnZ" #complex};                                          \
    for (int i = 0; i < 4; ++i) {                                                                  \
      table.name[i] = reinterpret_cast<Result(*) parameters>(dlsym(library, names[i]));            \
      if (table.name[i] == nullptr) {                                                              \
        return absl::FailedPreconditionError(absl::StrCat("cuSOLVER has no ", names[i]));          \
      }                                                                                            \
    }                                                                                              \
  }
#include "kernels/cuda/cusolver/symbols.def"
  return table;
}

}  // namespace

const absl::StatusOr<Cusolver>& Cusolver::Get() {
  static const auto* const table = new absl::StatusOr<Cusolver>(Open());  // Never closed.
  return *table;
}

absl::Status Cusolver::Check(Result result, absl::string_view what) {
  // Of cusolverStatus_t.
  constexpr Result kAllocationFailed = 2, kArchitectureMismatch = 4, kTypeNotSupported = 8,
                   kNotSupported = 9;
  if (result == 0) return absl::OkStatus();
  const std::string message = absl::StrCat(what, ": cuSOLVER status ", result);
  switch (result) {
    case kAllocationFailed:
      return absl::ResourceExhaustedError(message);
    case kArchitectureMismatch:
    case kTypeNotSupported:
    case kNotSupported:
      return absl::UnimplementedError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace acceld::kernels::cuda
