#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "kernels/cuda/collectives/exchange_layout.h"
#include "kernels/ir/plan.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/nccl/cuda_gang.h"
#include "server/hal/device.h"

namespace acceld::hal::cuda {

// A collective of a loaded program. Immutable.
struct PreparedCollective {
  int64_t site = 0;  // its number among the collectives of the program
  // How operands are exchanged, by the number of members of a group.
  absl::flat_hash_map<int64_t, std::vector<kernels::cuda::ExchangeBatch>> batches;
  CuFunction swap_rows = nullptr;     // nullptr if the collective does not need it
  std::vector<CuFunction> combiners;  // of reductions, by operand
  // The most scratch memory of a batch.
  int64_t scratch_bytes() const;
};

// Prepares a collective, for groups of the sizes that it has. Does not set the functions.
PreparedCollective PrepareCollective(const kernels::Collective& collective, int64_t site);

// Joins the gang's communicator, before the first collective of a run. Blocks until all
// participants do. Errors as of RunCollective.
absl::Status JoinCommunicator(const Launch& launch);

// Where a participant's run enqueues a collective.
struct CollectiveRun {
  Context& context;
  CuStream stream;
  const Launch& launch;   // its gang is a CudaGang
  CuPointer scratch = 0;  // of PreparedCollective::scratch_bytes()
};

// Enqueues a collective on the stream. The addresses are those of its operands and results. Blocks
// while the library waits for other devices. Returns an error if the launch has failed, and those
// of the library and the driver, after which the gang's communicator is broken. The device's
// context must be current on the calling thread.
absl::Status RunCollective(const CollectiveRun& run, const kernels::Collective& collective,
                           const PreparedCollective& prepared, absl::Span<const CuPointer> operands,
                           absl::Span<const CuPointer> results);

// For threads that wait for the run of a launch with a gang: see CudaGang::Poll. Fails the gang if
// the launch was cancelled.
void PollGang(const Launch& launch);

// The gang of a launch; nullptr if it has none.
inline CudaGang* GangOf(const Launch& launch) { return static_cast<CudaGang*>(launch.gang.get()); }

}  // namespace acceld::hal::cuda
