// Kernels that the exchange of values between devices needs besides NCCL
// (kernels/cuda/collectives/collective_kernels.h). Each works with any number of blocks of 256 threads.

__device__ inline i64 FirstItem() { return i64(blockIdx.x) * 256 + threadIdx.x; }
__device__ inline i64 ItemsAtATime() { return i64(gridDim.x) * 256; }

struct alignas(16) Words16 {
  u64 low, high;
};

// to[part][o][i] = from[o][part][i], for rows of `row` elements of T.
template <typename T>
__device__ void SwapRowsOf(u64 to, u64 from, i64 outer, i64 parts, i64 row) {
  for (i64 item = FirstItem(); item < outer * parts * row; item += ItemsAtATime()) {
    const i64 i = item % row, part = item / row % parts, o = item / row / parts;
    reinterpret_cast<T*>(to)[(part * outer + o) * row + i] = reinterpret_cast<const T*>(from)[item];
  }
}

// By the widest elements that rows and addresses are multiples of.
__device__ inline void SwapRows(u64 to, u64 from, i64 outer, i64 parts, i64 row_bytes) {
  const u64 all = to | from | u64(row_bytes);
  if (all % 16 == 0) return SwapRowsOf<Words16>(to, from, outer, parts, row_bytes / 16);
  if (all % 8 == 0) return SwapRowsOf<u64>(to, from, outer, parts, row_bytes / 8);
  if (all % 4 == 0) return SwapRowsOf<u32>(to, from, outer, parts, row_bytes / 4);
  if (all % 2 == 0) return SwapRowsOf<u16>(to, from, outer, parts, row_bytes / 2);
  SwapRowsOf<u8>(to, from, outer, parts, row_bytes);
}

// How elements are stored, how they are held while they are combined, and how two are combined.
// `kIsShort` says whether that takes few instructions.

template <typename T, int kBitsOfValue>
struct IntegerElement {
  using Stored = T;
  using Held = T;
  static constexpr bool kIsShort = true;
  static constexpr int kBits = kBitsOfValue;
  __device__ static T Load(T value) { return value; }
  __device__ static T Store(T value) { return value; }
  __device__ static T Sum(T a, T b) { return Add<kBits>(a, b); }
  __device__ static T Product(T a, T b) { return Multiply<kBits>(a, b); }
};

template <typename T>
struct FloatElement {
  using Stored = T;
  using Held = T;
  static constexpr bool kIsShort = true;
  __device__ static T Load(T value) { return value; }
  __device__ static T Store(T value) { return value; }
  __device__ static T Sum(T a, T b) { return a + b; }
  __device__ static T Product(T a, T b) { return a * b; }
};

// f16 and bf16 are combined in f32 and rounded once.
template <typename Format>
struct HalfElement {
  using Stored = u16;
  using Held = f32;
  static constexpr bool kIsShort = true;
  __device__ static f32 Load(u16 bits) { return Decode<Format>(bits); }
  __device__ static u16 Store(f32 value) { return u16(Encode<Format>(value)); }
  __device__ static f32 Sum(f32 a, f32 b) { return a + b; }
  __device__ static f32 Product(f32 a, f32 b) { return a * b; }
};

// Floats of at most 8 bits are rounded after each step. Sums and products of two are exact in f64.
template <typename Format>
struct NarrowElement {
  using Stored = u8;
  using Held = f64;
  static constexpr bool kIsShort = false;
  __device__ static f64 Load(u8 bits) { return Decode<Format>(bits); }
  __device__ static u8 Store(f64 value) { return u8(Encode<Format>(value)); }
  __device__ static f64 Sum(f64 a, f64 b) { return Load(Store(a + b)); }
  __device__ static f64 Product(f64 a, f64 b) { return Load(Store(a * b)); }
};

template <typename T>
struct ComplexPair {
  T real, imaginary;
};
template <typename T>
struct ComplexElement {
  using Stored = ComplexPair<T>;
  using Held = ComplexPair<T>;
  static constexpr bool kIsShort = true;
  __device__ static Held Load(Stored value) { return value; }
  __device__ static Stored Store(Held value) { return value; }
  __device__ static Held Sum(Held a, Held b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
};

struct CombineAdd {
  template <typename E, typename T>
  __device__ static T Of(T a, T b) {
    return E::Sum(a, b);
  }
};
struct CombineMultiply {
  template <typename E, typename T>
  __device__ static T Of(T a, T b) {
    return E::Product(a, b);
  }
};
struct CombineMinimum {
  template <typename E, typename T>
  __device__ static T Of(T a, T b) {
    return Min(a, b);
  }
};
struct CombineMaximum {
  template <typename E, typename T>
  __device__ static T Of(T a, T b) {
    return Max(a, b);
  }
};
struct CombineAnd {
  template <typename E, typename T>
  __device__ static T Of(T a, T b) {
    return T(a & b);
  }
};
struct CombineOr {
  template <typename E, typename T>
  __device__ static T Of(T a, T b) {
    return T(a | b);
  }
};
struct CombineXor {
  template <typename E, typename T>
  __device__ static T Of(T a, T b) {
    return T(a ^ b);
  }
};

// As many adjacent elements as fill 16 bytes.
template <typename T>
struct alignas(16) ElementsOf16Bytes {
  T of[16 / sizeof(T)];
};

// Combines `count` elements, a thread several adjacent ones that fill 16 bytes. The addresses and the
// stride are multiples of 16. Returns how many elements are done: the last ones may be left.
template <typename E, typename Combine>
__device__ i64 CombineAdjacent(u64 to, u64 from, i64 count, i64 stride_bytes, i64 members) {
  using Several = ElementsOf16Bytes<typename E::Stored>;
  constexpr int kAtATime = 16 / sizeof(typename E::Stored);
  const i64 blocks = count / kAtATime;
  for (i64 block = FirstItem(); block < blocks; block += ItemsAtATime()) {
    typename E::Held held[kAtATime];
#pragma unroll 1
    for (i64 member = 0; member < members; ++member) {
      const Several read =
          reinterpret_cast<const Several*>(from + u64(member * stride_bytes))[block];
      for (int i = 0; i < kAtATime; ++i) {
        const typename E::Held value = E::Load(read.of[i]);
        held[i] = member == 0 ? value : Combine::template Of<E>(held[i], value);
      }
    }
    Several result;
    for (int i = 0; i < kAtATime; ++i) result.of[i] = E::Store(held[i]);
    reinterpret_cast<Several*>(to)[block] = result;
  }
  return blocks * kAtATime;
}

// to[i] = from[0][i] combined with from[1][i], from[2][i] and so on, in this order. There are
// `members` arrays of `count` elements, whose beginnings are `stride_bytes` apart.
template <typename E, typename Combine>
__device__ void CombineMembers(u64 to, u64 from, i64 count, i64 stride_bytes, i64 members) {
  using Stored = typename E::Stored;
  i64 done = 0;
  if constexpr (E::kIsShort) {
    if ((to | from | u64(stride_bytes)) % 16 == 0) {
      done = CombineAdjacent<E, Combine>(to, from, count, stride_bytes, members);
    }
  }
  for (i64 item = done + FirstItem(); item < count; item += ItemsAtATime()) {
    typename E::Held held = E::Load(reinterpret_cast<const Stored*>(from)[item]);
    for (i64 member = 1; member < members; ++member) {
      held = Combine::template Of<E>(
          held,
          E::Load(reinterpret_cast<const Stored*>(from + u64(member * stride_bytes))[item]));
    }
    reinterpret_cast<Stored*>(to)[item] = E::Store(held);
  }
}
