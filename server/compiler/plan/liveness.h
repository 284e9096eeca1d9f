#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/module.h"

namespace acceld::compiler {

// When each value of a function is read for the last time. Time is counted in one walk over all
// regions, and whoever walks the same way counts the same:
//   region   its ops, then one tick where its results are read
//   op       one tick where its operands are read; its regions, if it is a while, case or if; and
//            then one more tick, where its results begin
// What a loop reads from outside stays alive until the loop has ended.
struct Liveness {
  static constexpr int32_t kNever = -1;
  std::vector<int32_t> last_use;  // by value
  int32_t ticks = 0;
};

Liveness ComputeLiveness(const ir::Function& function);

}  // namespace acceld::compiler
