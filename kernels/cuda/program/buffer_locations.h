#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// Numbers the buffer locations of a program: all distinct addresses that its steps access, and the
// address of the flag that cancels a run. Each location is a base address, which differs from run
// to run, and a constant offset. For CUDA graphs, a table on the device holds the address of each
// location, by number, for the current run. Immutable after construction.
class BufferLocations {
 public:
  // A location: the number of its base, and the offset from it. The layout is that of
  // BufferLocation in device/graph.cu.
  struct BufferLocation {
    uint64_t base = 0, offset_bytes = 0;
  };

  BufferLocations(const CudaProgram& program, size_t num_arguments, size_t num_results);

  // All locations, by number.
  const std::vector<BufferLocation>& all() const { return locations_; }
  // The number of the location at which a slice of the program begins.
  size_t NumberOf(const Slice& slice) const { return numbers_.at(KeyOf(slice)); }
  // The number of the cancellation flag's location.
  size_t cancelled() const { return 0; }

  // The bases are numbered in this order: the arguments, the results, the arena, the constants, the
  // cancellation flag.
  size_t num_bases() const { return num_arguments_ + num_results_ + 3; }
  // The number of the base of an argument, a result, the arena or the constants.
  size_t BaseOf(Slice::Space space, uint32_t index) const;

 private:
  using Key = std::tuple<uint8_t, uint32_t, int64_t>;
  static Key KeyOf(const Slice& slice) {
    return {static_cast<uint8_t>(slice.space), slice.index, slice.offset_bytes};
  }

  void Add(const Slice& slice);

  const size_t num_arguments_, num_results_;
  std::vector<BufferLocation> locations_;
  absl::flat_hash_map<Key, size_t> numbers_;  // the number of each location
};

}  // namespace acceld::kernels::cuda
