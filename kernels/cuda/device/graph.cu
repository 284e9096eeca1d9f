// What graphs launch besides the kernels of a program.

// By the driver, when the code is loaded: CUDA Programming Guide, "Conditional Graph Nodes".
extern "C" __device__ void cudaGraphSetConditional(u64 handle, u32 value);

// kGraphWords of device_code.h: with what else is passed, below the 4 KiB that parameters may take.
constexpr u64 kWords = 480;
constexpr u64 kCheckNanoseconds = 20'000;

struct Words {
  u64 at[kWords];
};
struct Place {
  u64 base, offset;
};
struct alignas(16) Sixteen {
  u64 at[2];
};

__device__ inline u64 Nanoseconds() {
#ifdef __CUDA_ARCH__
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  return cuda_on_host::Nanoseconds();
#endif
}

// Puts the first `count` words to `to`.
extern "C" __global__ void __launch_bounds__(256)
store_words(u64* to, u64 count, const __grid_constant__ Words words) {
  for (u64 i = threadIdx.x; i < count; i += blockDim.x) to[i] = words.at[i];
}

// Writes the address of each of `count` places whose base is one of these, from number `first` on:
// that of its base, and its offset.
extern "C" __global__ void __launch_bounds__(256)
find_places(u64* addresses, const Place* source_locations, u64 count, u64 first,
            const __grid_constant__ Words bases) {
  const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u64 base = source_locations[i].base - first;
  if (base < kWords) addresses[i] = bases.at[base] + source_locations[i].offset;
}

// Of bytes that begin at multiples of 64.
extern "C" __global__ void __launch_bounds__(256)
copy_bytes(u8* to, const u8* from, u64 bytes) {
  to = Placed(to);
  from = Placed(from);
  if (to == from) return;
  const u64 threads = u64(gridDim.x) * blockDim.x;
  const u64 thread = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  const u64 wide = bytes / sizeof(Sixteen);
  for (u64 i = thread; i < wide; i += threads) ((Sixteen*)to)[i] = ((const Sixteen*)from)[i];
  for (u64 i = wide * sizeof(Sixteen) + thread; i < bytes; i += threads) to[i] = from[i];
}

// Whether the loop with this handle goes on: while `predicate` says so and the run is not
// cancelled. That is read from the host's memory, which takes longer than the rest: not more often
// than the host is in a hurry. `*checked` is when it was, or 0 when it said yes.
extern "C" __global__ void __launch_bounds__(1)
set_loop(u64 handle, const u8* predicate, const volatile int* cancelled, u64* checked) {
  bool goes_on = *Placed(predicate) != 0;
  const u64 now = Nanoseconds();
  if (now - *checked > kCheckNanoseconds) {
    const bool ends = *Placed(cancelled) != 0;
    *checked = ends ? 0 : now;
    goes_on = goes_on && !ends;
  }
  cudaGraphSetConditional(handle, goes_on ? 1 : 0);
}

// Which of `branches` is next: kernels::SwitchStep.
extern "C" __global__ void __launch_bounds__(1)
set_branch(u64 handle, const i32* index, u64 branches) {
  const i32 branch = *Placed(index);
  cudaGraphSetConditional(handle, u32(branch) < branches ? u32(branch) : u32(branches - 1));
}

// The same of an i1: 1 takes branch 0.
extern "C" __global__ void __launch_bounds__(1)
set_choice(u64 handle, const u8* predicate) {
  cudaGraphSetConditional(handle, *Placed(predicate) != 0 ? 0 : 1);
}
