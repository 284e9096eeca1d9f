#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/program/buffer_locations.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/graphs/graph_kernels.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// A table in device memory from which kernels in graphs read the addresses of the program's
// buffers: a graph is built once, but its buffers may be elsewhere in each run. The table serves
// one run at a time, since everything that writes and reads it is enqueued on one stream.
class AddressTable {
 public:
  // Allocates a table for the buffers of a program, `locations`, from `memory`, and enqueues
  // kernels on `stream` that initialize it. Returns the errors of MemoryPool::Allocate and of the
  // driver.
  static absl::StatusOr<AddressTable> Create(Context& context, const GraphKernels& kernels,
                                             const kernels::cuda::BufferLocations& locations,
                                             MemoryPool& memory, CuStream stream);

  // Returns the device address of the table entry for buffer number `number`
  // (kernels::cuda::BufferLocations::NumberOf). The entry holds the buffer's address in the current
  // run.
  CuPointer AddressOf(size_t number) const { return Word(number); }
  // Returns the device address of a word, initially zero, in which the kernels that control loops
  // keep the time at which they last checked for cancellation.
  CuPointer scratch() const { return Word(num_buffers_); }

  // Enqueues kernels that compute all entries of the table from `bases`, the base addresses of a
  // run (Addresses::Bases).
  absl::Status Fill(Context& context, const GraphKernels& kernels,
                    const std::vector<CuPointer>& bases, CuStream stream) const;

 private:
  // Returns the device address of word number `index` of the table.
  CuPointer Word(size_t index) const;

  // The words of the table: the address of each buffer, the scratch word, and for each buffer two
  // words that describe it, the number of its base address and the offset from there.
  std::shared_ptr<Buffer> words_;
  size_t num_buffers_ = 0;
};

}  // namespace acceld::hal::cuda
