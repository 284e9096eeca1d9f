#pragma once

#include "common/ir/emitter.h"

// Counter-based generators of random bits: J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011. Such a generator encrypts the values of a counter
// under a key; each value gives one block of bits. The blocks are assigned to the elements of the
// result in the same order as in XLA, so that the results equal those of XLA.
namespace acceld::compiler {

// The values that a generator adds to a decomposition.
struct RandomBits {
  ir::ValueId bits;  // ui32 or ui64, of the shape asked for
  // The value of the counter (a ui64 scalar) after the last block used: the next draw starts with
  // it. Philox has a counter of 128 bits; this is the low half then.
  ir::ValueId count;
  ir::ValueId next_counter_high;  // the high half of the counter; for Philox only
};

// Emits Threefry-2x32 with 20 rounds. `key` and `counter` are ui64 scalars, and `type` is ui64 or
// ui32 of any shape. Each block gives one word of 64 bits or two words of 32 bits.
RandomBits ThreeFry(ir::Emitter& e, ir::ValueId key, ir::ValueId counter,
                    const ir::TensorType& type);

// Emits Philox-4x32 with 10 rounds. `key` and the two halves of the counter are ui64 scalars, and
// `type` is ui64 or ui32 of any shape. Each block gives two words of 64 bits or four words of 32
// bits.
RandomBits Philox(ir::Emitter& e, ir::ValueId key, ir::ValueId counter_low,
                  ir::ValueId counter_high, const ir::TensorType& type);

}  // namespace acceld::compiler
