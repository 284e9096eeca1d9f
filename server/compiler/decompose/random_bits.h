#pragma once

#include "server/compiler/decompose/emitter.h"

// Counter-based generators of random bits: J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011. Which element gets which bits is as XLA has it.
namespace acceld::compiler {

struct RandomBits {
  ir::ValueId bits;   // ui32 or ui64
  ir::ValueId count;  // the counter after the last block, ui64; for Philox the low half of 128 bits
  ir::ValueId count_high;  // Philox only
};

// Threefry-2x32 with 20 rounds. `key` and `counter` are ui64 scalars; each block gives one word of
// 64 bits or two of 32: `type` is ui64 or ui32 of any shape.
RandomBits ThreeFry(Emitter& e, ir::ValueId key, ir::ValueId counter, const ir::TensorType& type);

// Philox-4x32 with 10 rounds; each block gives two words of 64 bits or four of 32.
RandomBits Philox(Emitter& e, ir::ValueId key, ir::ValueId counter_low, ir::ValueId counter_high,
                  const ir::TensorType& type);

}  // namespace acceld::compiler
