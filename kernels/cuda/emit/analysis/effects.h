#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The loads and stores of a part of a kernel: the set of buffers (and scratch arrays), by number,
// that it loads from and stores to. The time of each function depends on the statements given or
// the buffers in the set, not on the number of buffers of the kernel. Thread-compatible.
class Effects {
 public:
  void Add(const Statement& statement);
  void Add(const Block& block);
  void Add(const Effects& other);
  void Remove(const absl::flat_hash_set<uint32_t>& buffers);
  void Clear() { buffers_.clear(); }

  bool has_stores() const;
  bool Loads(uint32_t buffer) const;
  bool Stores(uint32_t buffer) const;
  // Whether any buffer with a number of at least `first` is loaded from or stored to.
  bool TouchesFrom(size_t first) const;
  // The numbers of these buffers in ascending order.
  std::vector<uint32_t> BuffersFrom(size_t first) const;
  // Whether the accesses of `after` must wait for those of `before`: both access a buffer, and at
  // least one of them stores to it.
  static bool Conflict(const Effects& before, const Effects& after);

 private:
  struct Access {
    bool loads = false, stores = false;
  };

  absl::flat_hash_map<uint32_t, Access> buffers_;
};

}  // namespace acceld::kernels::cuda
