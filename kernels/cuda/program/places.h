#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// The places that a program's launches and copies, loops and branches name, numbered: what differs
// from run to run is where their bases are. Immutable once made.
class Places {
 public:
  // As device/graph.cu has it.
  struct Place {
    uint64_t base = 0, offset_bytes = 0;
  };

  Places(const CudaProgram& program, size_t num_arguments, size_t num_results);

  const std::vector<Place>& all() const { return places_; }
  // Of a slice of the program, not counting its size.
  size_t NumberOf(const Slice& slice) const { return numbers_.at(KeyOf(slice)); }
  // Of what says that a run is cancelled.
  size_t cancelled() const { return 0; }

  // Bases are counted: arguments, results, the arena, the constants, and what says that a run is
  // cancelled.
  size_t num_bases() const { return num_arguments_ + num_results_ + 3; }
  size_t BaseOf(Slice::Space space, uint32_t index) const;

 private:
  using Key = std::tuple<uint8_t, uint32_t, int64_t>;
  static Key KeyOf(const Slice& slice) {
    return {static_cast<uint8_t>(slice.space), slice.index, slice.offset_bytes};
  }

  void Add(const Slice& slice);

  const size_t num_arguments_, num_results_;
  std::vector<Place> places_;
  absl::flat_hash_map<Key, size_t> numbers_;
};

}  // namespace acceld::kernels::cuda
