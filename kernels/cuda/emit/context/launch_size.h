#pragma once

#include <algorithm>
#include <cstdint>

namespace acceld::kernels::cuda {

// The number of threads in a warp.
inline constexpr int kWarp = 32;
// The most thread blocks of a launch: enough for any device. With more work, each block executes
// several iterations.
inline constexpr int64_t kMaxBlocks = 4096;

// The size of a kernel's launch. Each part of a kernel raises it to what it needs; the code of the
// other parts works with any larger size, too. Thread-compatible.
class LaunchSize {
 public:
  void RaiseThreads(int threads) { threads_ = std::max(threads_, threads); }
  // `blocks` counts only up to kMaxBlocks.
  void RaiseBlocks(int64_t blocks) { blocks_ = std::max(blocks_, std::min(blocks, kMaxBlocks)); }

  int threads() const { return threads_; }  // of each block: 1 or a multiple of kWarp
  int64_t blocks() const { return blocks_; }

 private:
  int threads_ = 1;
  int64_t blocks_ = 1;
};

// Returns the number of threads of a block that should share so many iterations. Each thread should
// have several of them; more threads would mostly wait for each other.
inline int ThreadsToShare(int64_t iterations) {
  constexpr int kMaxThreads = 1024;
  int threads = kWarp;
  while (threads < kMaxThreads && threads * 4 < iterations) threads *= 2;
  return threads;
}

}  // namespace acceld::kernels::cuda
