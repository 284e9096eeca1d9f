// Where a kernel's buffers are. A launch on a stream says addresses, which are even; a graph, which
// is launched many times as it was made, says where the address stands, plus 1.

// Nothing but global memory, as the compiler may know.
template <typename T>
__device__ T* Global(u64 address) {
  return (T*)__cvta_global_to_generic(address);
}

template <typename T>
__device__ T* Placed(T* buffer) {
  const u64 address = (u64)buffer;
  return Global<T>((address & 1) != 0 ? *Global<const u64>(address - 1) : address);
}

// The same, but never kept: for kernels with so many buffers that registers would run short.
template <typename T>
__device__ T* PlacedNow(T* buffer) {
  const u64 address = (u64)buffer;
  return Global<T>((address & 1) != 0 ? *Global<const volatile u64>(address - 1) : address);
}
