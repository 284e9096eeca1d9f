#include "kernels/cuda/cusolver/cusolver.h"

#include "absl/strings/str_cat.h"
#include "kernels/cuda/shared_library.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first (12 is part of CUDA 13, 11 of CUDA 12): names for the loader's search path, then the
// toolkit's default locations.
constexpr const char* kLibraries[] = {"libcusolver.so.12", "libcusolver.so.11",
                                      "/usr/local/cuda/lib64/libcusolver.so",
                                      "/usr/local/cuda/lib/libcusolver.so"};

absl::StatusOr<Cusolver> Open() {
  ACCELD_ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open("cuSOLVER", kLibraries));
  Cusolver table;
#define ACCELD_CUSOLVER_SYMBOL(name, parameters) \
  ACCELD_RETURN_IF_ERROR(library.Find(#name, table.name));
#define ACCELD_CUSOLVER_TYPED(name, real, complex, parameters)                 \
  ACCELD_RETURN_IF_ERROR(library.Find("cusolverDnS" #real, table.name[0]));    \
  ACCELD_RETURN_IF_ERROR(library.Find("cusolverDnD" #real, table.name[1]));    \
  ACCELD_RETURN_IF_ERROR(library.Find("cusolverDnC" #complex, table.name[2])); \
  ACCELD_RETURN_IF_ERROR(library.Find("cusolverDnZ" #complex, table.name[3]));
#include "kernels/cuda/cusolver/symbols.def"
  return table;
}

}  // namespace

const absl::StatusOr<Cusolver>& Cusolver::Get() {
  static const auto* const table = new absl::StatusOr<Cusolver>(Open());  // Never closed.
  return *table;
}

absl::Status Cusolver::Check(Result result, absl::string_view what) {
  // Values of cusolverStatus_t.
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
