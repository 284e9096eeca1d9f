#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/program/places.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/graphs/graph_kernels.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// Where the addresses stand by which the graphs of a program find its buffers. In the memory of the
// device, for one run at a time: all that fills and reads it is on one stream.
class PlaceTable {
 public:
  // The errors of Allocate and of the driver. What it enqueues on `stream` describes `places`.
  static absl::StatusOr<PlaceTable> Create(Context& context, const GraphKernels& kernels,
                                           const kernels::cuda::Places& places, MemoryPool& memory,
                                           CuStream stream);

  // Of place number `number`.
  CuPointer AddressOf(size_t number) const { return Word(number); }
  // A word for the graphs themselves; zero to begin with.
  CuPointer scratch() const { return Word(num_places_); }

  // Enqueues that the addresses are found by these of the bases.
  absl::Status Fill(Context& context, const GraphKernels& kernels,
                    const std::vector<CuPointer>& bases, CuStream stream) const;

 private:
  CuPointer Word(size_t index) const;

  // The places' addresses, the scratch, the places.
  std::shared_ptr<Buffer> words_;
  size_t num_places_ = 0;
};

}  // namespace acceld::hal::cuda
