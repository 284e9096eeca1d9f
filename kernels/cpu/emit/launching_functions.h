#pragma once

#include <cstdint>
#include <vector>

#include "llvm/IR/Function.h"

namespace acceld::kernels::cpu {

// A loop whose tiles are shared out among threads: `tile` is called with the context, all buffers,
// and the tile's number.
struct TileLaunch {
  llvm::Function* tile;
  int64_t num_tiles;
};

// The launches that the function of a kernel consists of, in their order; none where it does
// anything else.
std::vector<TileLaunch> FindLaunches(const llvm::Function& kernel);

// Whether a function does nothing but call others with addresses. Such are to be translated in the
// quick way (MarkQuick), which takes a third of the time and costs their calls nothing worth
// mentioning.
bool OnlyCalls(const llvm::Function& function);
// No pass may touch it afterwards.
void MarkQuick(llvm::Function& function);

}  // namespace acceld::kernels::cpu
