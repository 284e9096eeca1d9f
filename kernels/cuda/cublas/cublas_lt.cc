#include "kernels/cuda/cublas/cublas_lt.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::kernels::cuda {
namespace {

// Newest first, by the loader's path and where the toolkit is installed by default.
constexpr const char* kLibraries[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                      "/usr/local/cuda/lib64/libcublasLt.so",
                                      "/usr/local/cuda/lib/libcublasLt.so"};

absl::StatusOr<CublasLt> Open() {
  void* library = nullptr;
  for (const char* name : kLibraries) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("no cuBLASLt: found none of ", absl::StrJoin(kLibraries, ", ")));
  }
  CublasLt table;
  using Result = CublasLt::Result;
  using Handle = CublasLt::Handle;
  using Operation = CublasLt::Operation;
  using Layout = CublasLt::Layout;
  using Preference = CublasLt::Preference;
  using Stream = CublasLt::Stream;
  using Algorithm = CublasLt::Algorithm;
  using Heuristic = CublasLt::Heuristic;
#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters)                             \
  table.name = reinterpret_cast<Result(*) parameters>(dlsym(library, #name)); \
  if (table.name == nullptr) return absl::FailedPreconditionError("cuBLASLt has no " #name);
#include "kernels/cuda/cublas/symbols.def"
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
