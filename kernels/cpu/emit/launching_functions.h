#pragma once

#include <cstdint>
#include <vector>

#include "llvm/IR/Function.h"

namespace acceld::kernels::cpu {

// A parallel loop that the run-time support runs on several threads. The function `tile` takes the
// context, all buffers, and the number of the tile.
struct TileLaunch {
  llvm::Function* tile;
  int64_t num_tiles;
};

// Returns the launches that make up the function of a kernel, in their order. Returns an empty list
// if the function does anything else.
std::vector<TileLaunch> FindLaunches(const llvm::Function& kernel);

// Returns whether a function does nothing but call other functions with addresses. LLVM should
// compile such functions without optimization (DisableOptimization): that takes a third of the
// time, and makes the calls hardly slower.
bool OnlyCalls(const llvm::Function& function);
// Makes LLVM compile `function` without optimization (optnone). No pass may be run on it
// afterwards.
void DisableOptimization(llvm::Function& function);

}  // namespace acceld::kernels::cpu
