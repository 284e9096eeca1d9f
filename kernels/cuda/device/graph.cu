// The kernels that CUDA graphs launch in addition to the kernels of a program.

// Provided by the driver when it loads the code (CUDA Programming Guide, "Conditional Graph
// Nodes").
extern "C" __device__ void cudaGraphSetConditional(u64 handle, u32 value);

// kGraphWords of device_code.h. With the other parameters it stays below 4 KiB, the limit for
// kernel parameters.
constexpr u64 kWords = 480;
// The interval between reads of the cancellation flag by set_loop.
constexpr u64 kCheckNanoseconds = 20'000;

struct Words {
  u64 at[kWords];
};
// A buffer location: the number of a base address, and an offset (kernels/cuda/program/buffer_locations.h).
struct BufferLocation {
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

// Stores the first `count` of the words that are passed as a parameter.
extern "C" __global__ void __launch_bounds__(256)
store_words(u64* to, u64 count, const __grid_constant__ Words words) {
  for (u64 i = threadIdx.x; i < count; i += blockDim.x) to[i] = words.at[i];
}

// Computes the addresses of those of the `count` buffer locations that have a base with a number in
// [first, first + kWords): addresses[i] = address of the base + offset. `bases` has the addresses
// of these bases.
extern "C" __global__ void __launch_bounds__(256)
compute_addresses(u64* addresses, const BufferLocation* locations, u64 count, u64 first,
            const __grid_constant__ Words bases) {
  const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const u64 base = locations[i].base - first;
  if (base < kWords) addresses[i] = bases.at[base] + locations[i].offset;
}

// Copies bytes between buffers, which are aligned to 64 bytes, unless they are the same.
extern "C" __global__ void __launch_bounds__(256)
copy_bytes(u8* to, const u8* from, u64 bytes) {
  to = ResolvePointer(to);
  from = ResolvePointer(from);
  if (to == from) return;
  const u64 threads = u64(gridDim.x) * blockDim.x;
  const u64 thread = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  const u64 wide = bytes / sizeof(Sixteen);
  for (u64 i = thread; i < wide; i += threads) ((Sixteen*)to)[i] = ((const Sixteen*)from)[i];
  for (u64 i = wide * sizeof(Sixteen) + thread; i < bytes; i += threads) to[i] = from[i];
}

// Sets the condition of a loop: it continues while the predicate is true and the run is not
// cancelled. Reading the cancellation flag, which is in host memory, takes longer than everything
// else here, so it is read at most once in kCheckNanoseconds. `*checked` is the time of the last
// read, or 0 if the flag was set then, so that the next call reads it again.
extern "C" __global__ void __launch_bounds__(1)
set_loop(u64 handle, const u8* predicate, const volatile int* cancelled, u64* checked) {
  bool goes_on = *ResolvePointer(predicate) != 0;
  const u64 now = Nanoseconds();
  if (now - *checked > kCheckNanoseconds) {
    const bool ends = *ResolvePointer(cancelled) != 0;
    *checked = ends ? 0 : now;
    goes_on = goes_on && !ends;
  }
  cudaGraphSetConditional(handle, goes_on ? 1 : 0);
}

// Selects the branch to execute, as kernels::SwitchStep specifies; `branches` is their number.
extern "C" __global__ void __launch_bounds__(1)
set_branch(u64 handle, const i32* index, u64 branches) {
  const i32 branch = *ResolvePointer(index);
  cudaGraphSetConditional(handle, u32(branch) < branches ? u32(branch) : u32(branches - 1));
}

// Selects the branch for an i1: 1 selects branch 0, 0 selects branch 1.
extern "C" __global__ void __launch_bounds__(1)
set_choice(u64 handle, const u8* predicate) {
  cudaGraphSetConditional(handle, *ResolvePointer(predicate) != 0 ? 0 : 1);
}
