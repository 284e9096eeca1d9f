#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "kernels/cpu/emit/buffer_facts.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// The same work as `kernel`, whose rows go through several loops one after the other, the last of
// which writes what comes of a row to memory: there a row is written by the loop that computes most
// for the next one, so that writing does not wait until computing is over, nor computing for what
// has been written. Rows are taken in blocks, each in order, by one thread.
//
//   row:  loops...; A; loops...; write      becomes      block of rows:
//                                                          row:  loops...; write the one before
//                                                                and A; loops...
//
// Of a block, the first row is written twice, first with anything, and the last one is computed
// twice. nullopt where that cannot be done, or where it is not computing that a row's time is spent
// on: nobody else may look at what is written.
absl::optional<Kernel> OverlapRows(const Kernel& kernel, const std::vector<BufferFacts>& facts);

}  // namespace acceld::kernels::cpu
