#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/ir/cost/trip_count.h"
#include "common/ir/emitter.h"

// Loops that run a fixed number of times.
namespace acceld::ir {

// Appends to the region that `e` adds to a while op that runs its body `count` times. `body` is
// called once, to append the body's ops: with the number of the iteration, which counts from 0, and
// with the carried values, of the types of `initial`; it returns their next values. Returns the
// carried values after the last iteration. The number is an i32 if `wanted` is that and the count
// is small enough, or else an i64: compiler passes understand best what is indexed by the number
// itself.
std::vector<ValueId> CountedLoop(
    Emitter& e, FunctionBuilder& builder, int64_t count, DType wanted,
    const std::vector<ValueId>& initial,
    const std::function<std::vector<ValueId>(ValueId iteration, const std::vector<ValueId>&)>&
        body);

// Appends what a loop's counter, of type `dtype`, is in an iteration whose number counts from 0.
ValueId CountAt(Emitter& e, const LoopCounter& counter, DType dtype, ValueId iteration);

// Stacks hold one value for each iteration of a loop, along a new first dimension.
ValueId EmptyStack(Emitter& e, const TensorType& element, int64_t count);
ValueId ReadStack(Emitter& e, ValueId stack, ValueId iteration);
ValueId WriteStack(Emitter& e, ValueId stack, ValueId iteration, ValueId element);

}  // namespace acceld::ir
