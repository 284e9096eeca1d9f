#pragma once

#include <cstddef>
#include <vector>

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// What a part of a kernel does to buffers, by their numbers.
struct Effects {
  explicit Effects(const Kernel& kernel)
      : loads(kernel.buffers.size() + kernel.scratch.size()), stores(loads.size()) {}

  void Add(const Statement& statement);
  void Add(const Block& block);
  void Add(const Effects& other);

  bool has_stores() const;
  // Whether it loads or stores any buffer from number `first` on.
  bool TouchesFrom(size_t first) const;
  // Whether what comes after has to wait for what was before.
  static bool Conflict(const Effects& before, const Effects& after);

  std::vector<bool> loads, stores;
};

}  // namespace acceld::kernels::cuda
