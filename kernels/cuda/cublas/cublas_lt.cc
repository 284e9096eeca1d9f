#include "kernels/cuda/cublas/cublas_lt.h"

#include "absl/strings/str_cat.h"
#include "kernels/cuda/shared_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first: names for the loader's search path, then the toolkit's default locations.
constexpr const char* kLibraries[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                      "/usr/local/cuda/lib64/libcublasLt.so",
                                      "/usr/local/cuda/lib/libcublasLt.so"};

absl::StatusOr<CublasLt> Open() {
  ACCELD_ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open("cuBLASLt", kLibraries));
  CublasLt table;
#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters) \
  ACCELD_RETURN_IF_ERROR(library.Find(#name, table.name));
#include "kernels/cuda/cublas/cublas_lt_symbols.def"
  return table;
}

}  // namespace

const absl::StatusOr<CublasLt>& CublasLt::Get() {
  static const auto* const table = new absl::StatusOr<CublasLt>(Open());  // Never closed.
  return *table;
}

absl::Status CublasLt::Check(Result result, absl::string_view what) {
  if (result == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": cuBLAS status ", result));
}

}  // namespace acceld::kernels::cuda
