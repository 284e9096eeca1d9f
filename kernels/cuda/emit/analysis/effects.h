#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// What a part of a kernel does to buffers, by their numbers. Each function takes time for what it
// is given, or what it answers for, not for all buffers of the kernel.
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
  // Whether it loads or stores any buffer from number `first` on.
  bool TouchesFrom(size_t first) const;
  // These buffers, in order.
  std::vector<uint32_t> BuffersFrom(size_t first) const;
  // Whether what comes after has to wait for what was before.
  static bool Conflict(const Effects& before, const Effects& after);

 private:
  struct Access {
    bool loads = false, stores = false;
  };

  absl::flat_hash_map<uint32_t, Access> buffers_;
};

}  // namespace acceld::kernels::cuda
