#include "kernels/cpu/support/parallel_for.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "kernels/cpu/support/helper_pool.h"
#include "kernels/cpu/support/poll.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int32_t kOk = static_cast<int32_t>(CodeStatus::kOk);

// What the threads of one loop share. Threads take tiles in order as they become free; the result
// of a tile does not depend on the thread that computes it.
class TileQueue {
 public:
  TileQueue(const LaunchContext* context, TileFunction function, const void* frame,
            int64_t num_tiles)
      : context_(context), function_(function), frame_(frame), num_tiles_(num_tiles) {}

  // Takes tiles until none is left, one fails, or the run is interrupted.
  void Work() {
    while (status_.load(std::memory_order_relaxed) == kOk && !*context_->interrupted) {
      const int64_t tile = next_.fetch_add(1, std::memory_order_relaxed);
      if (tile >= num_tiles_) return;
      const int32_t status = function_(frame_, tile);
      if (status != kOk) status_.store(status, std::memory_order_relaxed);
    }
  }
  // Returns whether nothing is left to do. To be called when no thread works on the loop.
  bool IsDone() const {
    return status() != kOk || next_.load(std::memory_order_relaxed) >= num_tiles_;
  }
  int32_t status() const { return status_.load(std::memory_order_relaxed); }

 private:
  const LaunchContext* const context_;
  const TileFunction function_;
  const void* const frame_;
  const int64_t num_tiles_;
  std::atomic<int64_t> next_{0};
  std::atomic<int32_t> status_{kOk};
};

// Whether this thread is inside a parallel loop. It then runs nested parallel loops alone.
thread_local bool in_parallel_loop = false;

template <size_t>
using Pointer = void*;

// Returns the TileFunction for frames that hold a function and as many pointers as there are
// indices.
template <size_t... Is>
TileFunction UnpackTile(std::index_sequence<Is...>) {
  return [](const void* frame, int64_t tile) {
    void* const* fields = static_cast<void* const*>(frame);
    const auto function = reinterpret_cast<int32_t (*)(Pointer<Is>..., int64_t)>(fields[0]);
    return function(fields[1 + Is]..., tile);
  };
}

// Makes an array that has UnpackTile for each number of pointers.
template <size_t... Counts>
constexpr auto UnpackTiles(std::index_sequence<Counts...>) {
  return std::array<TileFunction (*)(), sizeof...(Counts)>{
      [] { return UnpackTile(std::make_index_sequence<Counts>()); }...};
}

}  // namespace

int32_t ParallelForPointers(const LaunchContext* context, void* const* frame, int64_t num_pointers,
                            int64_t num_tiles) {
  static constexpr auto kTiles = UnpackTiles(std::make_index_sequence<kMaxTilePointers + 1>());
  return ParallelFor(context, kTiles[static_cast<size_t>(num_pointers)](), frame, num_tiles);
}

int32_t ParallelFor(const LaunchContext* context, TileFunction function, const void* frame,
                    int64_t num_tiles) {
  TileQueue queue(context, function, frame, num_tiles);
  const int64_t num_threads = std::min<int64_t>(context->num_threads, num_tiles);
  while (true) {
    if (num_threads <= 1 || in_parallel_loop || context->runtime == nullptr) {
      queue.Work();
    } else {
      context->runtime->helpers().Run(static_cast<int>(num_threads - 1), [&queue] {
        in_parallel_loop = true;
        queue.Work();
        in_parallel_loop = false;
      });
    }
    if (queue.IsDone()) return queue.status();
    // The run is interrupted. While it pauses, the helpers are free for other runs.
    if (const int32_t status = Poll(*context); status != kOk) return status;
  }
}

}  // namespace acceld::kernels::cpu
