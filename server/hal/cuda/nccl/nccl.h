#pragma once

#include <climits>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// The functions of NCCL, NVIDIA's library of collectives, which programs over several GPUs need.
// The library is loaded at run time, so that programs also start on machines without it. It is a
// table of function pointers, so that tests can replace them. Thread-safe, except that only one
// thread at a time may use a communicator.
struct Nccl {
  using Result = int;  // ncclResult_t
  static constexpr Result kInProgress = 7;
  using Comm = struct NcclCommunicator*;
  using Stream = void*;
  struct UniqueId {
    char bytes[128];
  };
  static constexpr int kBytes = 1;  // ncclUint8, of ncclDataType_t

  // The oldest version that is accepted, 2.18: the first with this layout of ncclConfig_t. Newer
  // ones accept it, too. (Communicators that do not block are of 2.14.)
  static constexpr int kOldestVersion = 21800;
  // ncclConfig_t. Fields that are not set have the library's defaults.
  struct Config {
    static constexpr int kUnset = INT_MIN;

    size_t size = sizeof(Config);
    unsigned int magic = 0xcafebeef;
    unsigned int version = kOldestVersion;
    int blocking = 0;  // Calls return kInProgress instead of waiting for other devices.
    int cga_cluster_size = kUnset, min_ctas = kUnset, max_ctas = kUnset;
    const char* net_name = nullptr;
    int split_share = kUnset;
  };

  // Loads the library on the first call. Returns FAILED_PRECONDITION, which says what to install,
  // if it cannot be loaded or is too old; every call has the same outcome.
  static const absl::StatusOr<Nccl>& Get();
  // Returns FAILED_PRECONDITION if the version of the library is older than kOldestVersion.
  absl::Status CheckVersion() const;

  // Converts a result of the library to a status with its name; `what` is the function's name.
  // kInProgress counts as success.
  static absl::Status Check(Result result, absl::string_view what);

#define ACCELD_NCCL_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "server/hal/cuda/nccl/nccl_symbols.def"
};
static_assert(sizeof(Nccl::Config) == 48);

}  // namespace acceld::hal::cuda
