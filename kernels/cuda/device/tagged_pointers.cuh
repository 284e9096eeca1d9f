// Buffer parameters of kernels are tagged pointers: with bit 0 clear, a parameter is the address of
// the buffer; with bit 0 set (and cleared before use), it is the address of a memory cell that
// holds the buffer's address. Launches on a stream pass addresses. A graph, whose parameters stay
// the same in all its launches, passes addresses of cells.

// Converts an address to a pointer that the compiler knows to point to global memory.
template <typename T>
__device__ T* Global(u64 address) {
  return (T*)__cvta_global_to_generic(address);
}

// Resolves a tagged pointer to the address of the buffer.
template <typename T>
__device__ T* ResolvePointer(T* buffer) {
  const u64 address = (u64)buffer;
  return Global<T>((address & 1) != 0 ? *Global<const u64>(address - 1) : address);
}

// Resolves a tagged pointer by a volatile load, so that the compiler does not keep the address in a
// register: for kernels with so many buffers that registers would not suffice.
template <typename T>
__device__ T* ResolvePointerVolatile(T* buffer) {
  const u64 address = (u64)buffer;
  return Global<T>((address & 1) != 0 ? *Global<const volatile u64>(address - 1) : address);
}
