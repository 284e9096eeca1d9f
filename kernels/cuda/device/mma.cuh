// Instructions of sm_80 for matrix products of a warp and for loading their operands, which CUDA
// C++ does not have (PTX ISA, "Warp-level matrix instructions" and "Asynchronous copy"). Must
// follow scalar.cuh. When compiled for the host, in tests, the including file defines those that
// exchange elements between lanes.

#ifdef __CUDA_ARCH__

// c += a * b, where a is 16 x 16, b is 16 x 8 and c is 16 x 8. Let g = l / 4 and t = 2 * (l % 4)
// for lane l. Each word of a and b is a pair of adjacent elements, the first one in the lower bits.
// The four words of a begin at (row, column) = (g, t), (g + 8, t), (g, t + 8), (g + 8, t + 8), with
// pairs along a row; the words of b begin at (t, g) and (t + 8, g), with pairs along a column; the
// four elements of c are (g, t), (g, t + 1), (g + 8, t), (g + 8, t + 1).
__device__ inline void MmaF16(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void MmaBF16(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Loads four matrices of 8 x 8 elements of 16 bits from shared memory: row r of matrix m is the 16
// bytes at the address that lane 8 * m + r passes. Of each matrix, lane l gets columns t and t + 1
// of row g (as above); LoadMatricesTransposed gives it rows t and t + 1 of column g.
__device__ inline void LoadMatrices(u32 (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(u32(__cvta_generic_to_shared(row)))
               : "memory");
}
__device__ inline void LoadMatricesTransposed(u32 (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(u32(__cvta_generic_to_shared(row)))
               : "memory");
}

// Begins an asynchronous copy of 16 bytes from global to shared memory; both addresses are
// multiples of 16. Without `exists` it stores zeros instead, and `from` need only be a valid
// address.
__device__ inline void CopyAsync(void* to, const void* from, bool exists) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(u32(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from)), "r"(exists ? 16 : 0)
      : "memory");
}
// Makes the copies that this thread has begun since the last call a group.
__device__ inline void CommitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most the last kPending groups of this thread are incomplete.
template <int kPending>
__device__ void WaitForCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

#endif

// Two floats rounded to the nearest f16 or bf16, ties to even; `low` is in the lower bits.
__device__ inline u32 PackF16(f32 low, f32 high) {
#ifdef __CUDA_ARCH__
  u32 both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
#else
  return Encode<F16>(low) | Encode<F16>(high) << 16;
#endif
}
__device__ inline u32 PackBF16(f32 low, f32 high) {
#ifdef __CUDA_ARCH__
  u32 both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
#else
  return Encode<BF16>(low) | Encode<BF16>(high) << 16;
#endif
}
