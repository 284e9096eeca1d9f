#include "kernels/cuda/cublas/cublas.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/open_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first, by the loader's path and where the toolkit is installed by default.
constexpr const char* kLibraries[] = {"libcublas.so.13", "libcublas.so.12",
                                      "/usr/local/cuda/lib64/libcublas.so",
                                      "/usr/local/cuda/lib/libcublas.so"};

absl::StatusOr<Cublas> Open() {
  ACCELD_ASSIGN_OR_RETURN(void* const library, OpenLibrary("cuBLAS", kLibraries));
  Cublas table;
  using Result = Cublas::Result;
  using Handle = Cublas::Handle;
  using Stream = Cublas::Stream;
#define ACCELD_CUBLAS_SYMBOL(name, parameters)                                \
  table.name = reinterpret_cast<Result(*) parameters>(dlsym(library, #name)); \
  if (table.name == nullptr) return absl::FailedPreconditionError("cuBLAS has no " #name);
#define ACCELD_CUBLAS_TYPED(name, suffix, parameters)                                     \
  {                                                                                       \
    const char* const names[] = {"cublasS" #suffix, "cublasD" #suffix, "cublasC" #suffix, \
                                 "cublasZ" #suffix};                                      \
    for (int i = 0; i < 4; ++i) {                                                         \
      table.name[i] = reinterpret_cast<Result(*) parameters>(dlsym(library, names[i]));   \
      if (table.name[i] == nullptr) {                                                     \
        return absl::FailedPreconditionError(absl::StrCat("cuBLAS has no ", names[i]));   \
      }                                                                                   \
    }                                                                                     \
  }
#include "kernels/cuda/cublas/cublas_symbols.def"
  return table;
}

}  // namespace

const absl::StatusOr<Cublas>& Cublas::Get() {
  static const auto* const table = new absl::StatusOr<Cublas>(Open());  // Never closed.
  return *table;
}

absl::Status Cublas::Check(Result result, absl::string_view what) {
  // Of cublasStatus_t.
  constexpr Result kAllocationFailed = 3, kArchitectureMismatch = 8, kNotSupported = 15;
  if (result == 0) return absl::OkStatus();
  const std::string message = absl::StrCat(what, ": cuBLAS status ", result);
  switch (result) {
    case kAllocationFailed:
      return absl::ResourceExhaustedError(message);
    case kArchitectureMismatch:
    case kNotSupported:
      return absl::UnimplementedError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace acceld::kernels::cuda
