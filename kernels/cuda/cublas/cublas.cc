#include "kernels/cuda/cublas/cublas.h"

#include "absl/strings/str_cat.h"
#include "kernels/cuda/shared_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first: names for the loader's search path, then the toolkit's default locations.
constexpr const char* kLibraries[] = {"libcublas.so.13", "libcublas.so.12",
                                      "/usr/local/cuda/lib64/libcublas.so",
                                      "/usr/local/cuda/lib/libcublas.so"};

absl::StatusOr<Cublas> Open() {
  ACCELD_ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open("cuBLAS", kLibraries));
  Cublas table;
#define ACCELD_CUBLAS_SYMBOL(name, parameters) \
  ACCELD_RETURN_IF_ERROR(library.Find(#name, table.name));
#define ACCELD_CUBLAS_TYPED(name, suffix, parameters)                     \
  ACCELD_RETURN_IF_ERROR(library.Find("cublasS" #suffix, table.name[0])); \
  ACCELD_RETURN_IF_ERROR(library.Find("cublasD" #suffix, table.name[1])); \
  ACCELD_RETURN_IF_ERROR(library.Find("cublasC" #suffix, table.name[2])); \
  ACCELD_RETURN_IF_ERROR(library.Find("cublasZ" #suffix, table.name[3]));
#include "kernels/cuda/cublas/cublas_symbols.def"
  return table;
}

}  // namespace

const absl::StatusOr<Cublas>& Cublas::Get() {
  static const auto* const table = new absl::StatusOr<Cublas>(Open());  // Never closed.
  return *table;
}

absl::Status Cublas::Check(Result result, absl::string_view what) {
  // Values of cublasStatus_t.
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
