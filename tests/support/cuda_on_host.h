#pragma once

// CUDA C++ on the host's processor, as far as generated kernels use it: a launch runs its blocks
// one after the other, and the threads of a block one after the other from barrier to barrier, each
// on a stack of its own. What the threads of a real block may do at the same time is therefore not
// seen; a barrier that not all threads reach is, and ends the process.

#include <ucontext.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#define __device__
#define __forceinline__ inline
#define __global__
#define __shared__ static
#define __launch_bounds__(threads)
#define __noinline__
#define __grid_constant__

struct CudaIndex {
  unsigned x = 0, y = 0, z = 0;
};
inline CudaIndex threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_on_host {

// The threads of one block.
class Block {
 public:
  Block(unsigned threads, const std::function<void()>& kernel) : kernel_(kernel), fibers_(threads) {
    while (stacks_.size() < threads) stacks_.emplace_back(new char[kStackBytes]);
  }

  void Run() {
    running_ = this;
    for (unsigned i = 0; i < fibers_.size(); ++i) Prepare(i);
    for (bool some_wait = true; some_wait;) {
      unsigned waiting = 0;
      for (current_ = 0; current_ < fibers_.size(); ++current_) {
        threadIdx.x = current_;
        swapcontext(&scheduler_, &fibers_[current_].context);
        waiting += !fibers_[current_].ended;
      }
      if (waiting != 0 && waiting != fibers_.size()) Fail("not all threads come to a barrier");
      some_wait = waiting != 0;
    }
    running_ = nullptr;
  }

  // Until all threads of the block are here.
  static void Wait() {
    Block& block = *running_;
    swapcontext(&block.fibers_[block.current_].context, &block.scheduler_);
  }

  // The `value` that thread number `of` gives at the same time.
  template <typename T>
  static T Exchange(T value, unsigned of) {
    Block& block = *running_;
    std::memcpy(&block.fibers_[threadIdx.x].given, &value, sizeof(value));
    Wait();
    T taken = value;
    if (of < block.fibers_.size()) std::memcpy(&taken, &block.fibers_[of].given, sizeof(taken));
    Wait();
    return taken;
  }

  // A bit for each thread of the warp, which all vote at the same time.
  static unsigned Ballot(bool vote) {
    Block& block = *running_;
    block.fibers_[threadIdx.x].given = vote ? 1 : 0;
    Wait();
    unsigned votes = 0;
    const unsigned first = threadIdx.x / 32 * 32;
    for (unsigned lane = 0; lane < 32 && first + lane < block.fibers_.size(); ++lane) {
      votes |= static_cast<unsigned>(block.fibers_[first + lane].given) << lane;
    }
    Wait();
    return votes;
  }

  // Calls use(of) where of(thread) is what that thread gives at the same time.
  template <typename T, typename Use>
  static void Together(const T& mine, Use use) {
    Block& block = *running_;
    block.fibers_[threadIdx.x].given = reinterpret_cast<uintptr_t>(&mine);
    Wait();
    use([&](unsigned thread) -> const T& {
      return *reinterpret_cast<const T*>(block.fibers_[thread].given);
    });
    Wait();
  }

 private:
  static constexpr size_t kStackBytes = size_t{256} << 10;
  struct Fiber {
    ucontext_t context;
    bool ended = false;
    uint64_t given = 0;
  };

  void Prepare(unsigned i) {
    Fiber& fiber = fibers_[i];
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stacks_[i].get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = &scheduler_;
    makecontext(&fiber.context, &Enter, 0);
  }
  static void Enter() {
    running_->kernel_();
    running_->fibers_[running_->current_].ended = true;
  }
  [[noreturn]] static void Fail(const char* what) {
    std::fprintf(stderr, "cuda_on_host: %s\n", what);
    std::abort();
  }

  inline static Block* running_ = nullptr;
  // Of one block after the other: new ones would take longer than the threads.
  inline static std::vector<std::unique_ptr<char[]>> stacks_;
  const std::function<void()>& kernel_;
  std::vector<Fiber> fibers_;
  ucontext_t scheduler_;
  unsigned current_ = 0;
};

inline void Launch(int64_t blocks, int threads, bool has_barriers,
                   const std::function<void()>& kernel) {
  gridDim.x = static_cast<unsigned>(blocks);
  blockDim.x = static_cast<unsigned>(threads);
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
    if (has_barriers) {
      Block(blockDim.x, kernel).Run();
      continue;
    }
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) kernel();
  }
}

inline uint64_t Nanoseconds() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace cuda_on_host

// The handle is the address of the condition.
extern "C" inline void cudaGraphSetConditional(unsigned long long handle, unsigned value) {
  *reinterpret_cast<unsigned*>(handle) = value;
}

inline void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }

inline void __syncthreads() { cuda_on_host::Block::Wait(); }
template <typename T>
T __shfl_down_sync(unsigned /*lanes*/, T value, int distance) {
  const unsigned from = threadIdx.x + static_cast<unsigned>(distance);
  // Past the warp's end a thread gets its own value back.
  return cuda_on_host::Block::Exchange(value, from / 32 == threadIdx.x / 32 ? from : threadIdx.x);
}
template <typename T>
T __shfl_up_sync(unsigned /*lanes*/, T value, int distance) {
  const unsigned lane = threadIdx.x % 32, by = static_cast<unsigned>(distance);
  // Before the warp's beginning a thread gets its own value back.
  return cuda_on_host::Block::Exchange(value, lane >= by ? threadIdx.x - by : threadIdx.x);
}
template <typename T>
T __shfl_sync(unsigned /*lanes*/, T value, int lane) {
  return cuda_on_host::Block::Exchange(value, threadIdx.x / 32 * 32 + static_cast<unsigned>(lane));
}

inline void __syncwarp() { cuda_on_host::Block::Wait(); }
inline unsigned __ballot_sync(unsigned /*lanes*/, bool vote) {
  return cuda_on_host::Block::Ballot(vote);
}

inline unsigned atomicAdd(unsigned* to, unsigned value) {
  const unsigned before = *to;
  *to += value;
  return before;
}
template <typename T>
T __shfl_xor_sync(unsigned /*lanes*/, T value, int lanes) {
  return cuda_on_host::Block::Exchange(value, threadIdx.x ^ static_cast<unsigned>(lanes));
}
inline int __syncthreads_or(int value) {
  int any = 0;
  cuda_on_host::Block::Together(value, [&](auto of) {
    for (unsigned thread = 0; thread < blockDim.x; ++thread) any |= of(thread) != 0;
  });
  return any;
}
inline float __expf(float x) { return std::exp(x); }

// device/mma.cuh.
namespace cuda_on_host {

inline float FloatOf(unsigned bits, bool is_bf16) {
  const auto half = static_cast<uint16_t>(bits);
  return is_bf16 ? std::bit_cast<float>(bits << 16)
                 : static_cast<float>(std::bit_cast<_Float16>(half));
}

struct MmaOperands {
  unsigned a[4], b[2];
};

inline void Mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, bool is_bf16) {
  const MmaOperands mine = {{a[0], a[1], a[2], a[3]}, {b0, b1}};
  const unsigned warp = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
  Block::Together(mine, [&](auto of) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum = c[i];
      for (unsigned k = 0; k < 16; ++k) {
        const unsigned pair = k % 8 / 2, shift = k % 2 * 16;
        const unsigned x = of(warp + row % 8 * 4 + pair).a[row / 8 + k / 8 * 2] >> shift & 0xffff;
        const unsigned y = of(warp + column * 4 + pair).b[k / 8] >> shift & 0xffff;
        sum += static_cast<double>(FloatOf(x, is_bf16)) * FloatOf(y, is_bf16);
      }
      c[i] = static_cast<float>(sum);
    }
  });
}

inline void LoadMatrices(unsigned (&to)[4], const void* row, bool transposed) {
  if (reinterpret_cast<uintptr_t>(row) % 16 != 0) __builtin_trap();
  const unsigned warp = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
  Block::Together(row, [&](auto of) {
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      unsigned pair[2];
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned r = transposed ? lane % 4 * 2 + i : lane / 4;
        const unsigned column = transposed ? lane / 4 : lane % 4 * 2 + i;
        pair[i] = static_cast<const uint16_t*>(of(warp + matrix * 8 + r))[column];
      }
      to[matrix] = pair[0] | pair[1] << 16;
    }
  });
}

struct Copy {
  void* to;
  const void* from;  // nullptr: zeros
};
struct Copies {
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
};
// All have been waited for when a block ends.
inline Copies& CopiesOfThread() {
  static std::vector<Copies> of_threads(1024);
  return of_threads[threadIdx.x];
}

}  // namespace cuda_on_host

inline void MmaF16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  cuda_on_host::Mma(c, a, b0, b1, /*is_bf16=*/false);
}
inline void MmaBF16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  cuda_on_host::Mma(c, a, b0, b1, /*is_bf16=*/true);
}
inline void LoadMatrices(unsigned (&to)[4], const void* row) {
  cuda_on_host::LoadMatrices(to, row, /*transposed=*/false);
}
inline void LoadMatricesTransposed(unsigned (&to)[4], const void* row) {
  cuda_on_host::LoadMatrices(to, row, /*transposed=*/true);
}
// Copies are made when they are waited for, not before.
inline void CopyAsync(void* to, const void* from, bool exists) {
  if (reinterpret_cast<uintptr_t>(to) % 16 != 0 ||
      (exists && reinterpret_cast<uintptr_t>(from) % 16 != 0)) {
    __builtin_trap();
  }
  cuda_on_host::CopiesOfThread().open.push_back({to, exists ? from : nullptr});
}
inline void CommitCopies() {
  cuda_on_host::Copies& copies = cuda_on_host::CopiesOfThread();
  copies.groups.push_back(std::move(copies.open));
  copies.open.clear();
}
template <int kPending>
void WaitForCopies() {
  std::deque<std::vector<cuda_on_host::Copy>>& groups = cuda_on_host::CopiesOfThread().groups;
  for (; groups.size() > kPending; groups.pop_front()) {
    for (const cuda_on_host::Copy& copy : groups.front()) {
      copy.from != nullptr ? std::memcpy(copy.to, copy.from, 16) : std::memset(copy.to, 0, 16);
    }
  }
}

inline int atomicMax(int* to, int value) {
  const int before = *to;
  if (value > before) *to = value;
  return before;
}

inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline float rsqrtf(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
