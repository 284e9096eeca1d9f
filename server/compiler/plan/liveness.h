#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/module.h"

namespace acceld::compiler {

// When each value of a function is read for the last time. Time is measured in ticks, which are
// counted in one walk over all regions of the function; code that walks in the same way counts the
// same ticks:
//   region   first the ticks of its ops, then one tick at which its results are read
//   op       one tick at which its operands are read; if it is a while, case or if, then the ticks
//            of its regions and one more tick, at which its results become available
// A value that a loop reads from outside is live until the end of the loop.
struct Liveness {
  static constexpr int32_t kNever = -1;
  std::vector<int32_t> last_use;  // by value: a tick, or kNever for a value without uses
  int32_t ticks = 0;              // the number of all ticks
};

// Computes the liveness of all values of a function.
Liveness ComputeLiveness(const ir::Function& function);

}  // namespace acceld::compiler
