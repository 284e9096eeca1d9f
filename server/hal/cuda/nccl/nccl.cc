#include "server/hal/cuda/nccl/nccl.h"

#include "absl/strings/str_cat.h"
#include "kernels/cuda/shared_library.h"

namespace acceld::hal::cuda {
namespace {

// The name for the loader's search path, then the default locations of NVIDIA's archives.
constexpr const char* kLibraries[] = {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2",
                                      "/usr/local/lib/libnccl.so.2"};

constexpr const char* kAdvice =
    "programs over several GPUs need NCCL 2.18 or later: install the package libnccl2, or the "
    "Python package nvidia-nccl-cu12 or nvidia-nccl-cu13 and put its folder on LD_LIBRARY_PATH";

absl::StatusOr<Nccl> Open() {
  using kernels::cuda::SharedLibrary;
  const absl::StatusOr<SharedLibrary> library = SharedLibrary::Open("NCCL", kLibraries);
  if (!library.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(library.status().message(), "; ", kAdvice));
  }
  Nccl table;
#define ACCELD_NCCL_SYMBOL(name, parameters) \
  ACCELD_RETURN_IF_ERROR(library->Find(#name, table.name));
#include "server/hal/cuda/nccl/nccl_symbols.def"
  ACCELD_RETURN_IF_ERROR(table.CheckVersion());
  return table;
}

const char* NameOf(Nccl::Result result) {
  // Source: nccl.h, ncclResult_t.
  switch (result) {
    case 1:
      return "unhandled CUDA error";
    case 2:
      return "system error";
    case 3:
      return "internal error";
    case 4:
      return "invalid argument";
    case 5:
      return "invalid usage";
    case 6:
      return "remote error";
    case 8:
      return "timeout";
    default:
      return "unknown error";
  }
}

}  // namespace

const absl::StatusOr<Nccl>& Nccl::Get() {
  static const auto* const table = new absl::StatusOr<Nccl>(Open());  // Never closed.
  return *table;
}

absl::Status Nccl::CheckVersion() const {
  int version = 0;
  ACCELD_RETURN_IF_ERROR(Check(ncclGetVersion(&version), "ncclGetVersion"));
  if (version >= kOldestVersion) return absl::OkStatus();
  // Since 2.9, 10000 * major + 100 * minor + patch; before, 1000 * major.
  const int major = version / (version < 10000 ? 1000 : 10000);
  return absl::FailedPreconditionError(absl::StrCat("NCCL ", major, ".",
                                                    version / 100 % (version < 10000 ? 10 : 100),
                                                    ".", version % 100, " is too old; ", kAdvice));
}

absl::Status Nccl::Check(Result result, absl::string_view what) {
  if (result == 0 || result == kInProgress) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": NCCL ", NameOf(result), " (", result,
                                          "); NCCL_DEBUG=WARN makes it say more"));
}

}  // namespace acceld::hal::cuda
