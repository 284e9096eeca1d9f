// Kernels that routines need in addition to libraries: conversions between layouts, and the
// contents that kernels/ir/routines.def specifies for items that failed or contain NaN. Each kernel
// works with any number of blocks of 256 threads. Complex elements are pairs of real numbers:
// `parts` is 2 for complex elements, 1 for real ones. An item is one matrix or vector of a batch.

using i32 = int;
using i64 = long long;
using u32 = unsigned int;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
struct alignas(16) Words16 {
  u64 low, high;
};

__device__ inline i64 FirstOfThread() { return i64(blockIdx.x) * 256 + threadIdx.x; }
__device__ inline i64 AllThreads() { return i64(gridDim.x) * 256; }

// to[item][column][row] = from[item][row][column]. Works by tiles, so that adjacent threads both
// read and write adjacent memory.
template <typename T>
__device__ void Transpose(T* to, const T* from, i64 batch, i64 rows, i64 columns, T* tile) {
  const i64 tiles_down = (rows + 31) / 32, tiles_right = (columns + 31) / 32;
  const i64 x = threadIdx.x % 32, first_y = threadIdx.x / 32;
  for (i64 t = blockIdx.x; t < batch * tiles_down * tiles_right; t += gridDim.x) {
    const i64 item = t / (tiles_down * tiles_right) * rows * columns;
    const i64 row = t / tiles_right % tiles_down * 32, column = t % tiles_right * 32;
    for (i64 y = first_y; y < 32; y += 8) {
      if (row + y < rows && column + x < columns) {
        tile[y * 33 + x] = from[item + (row + y) * columns + column + x];
      }
    }
    __syncthreads();
    for (i64 y = first_y; y < 32; y += 8) {
      if (column + y < columns && row + x < rows) {
        to[item + (column + y) * rows + row + x] = tile[x * 33 + y];
      }
    }
    __syncthreads();
  }
}

// Finds where a Cholesky factorization of each item meets a NaN: the smallest row k of the lower
// triangle, or column k of the upper one, that has a NaN. Sets depths[item], which must be 0
// before, to n - k; it stays 0 if there is no NaN.
template <typename T>
__device__ void FindNan(i32* depths, const T* a, i64 batch, i64 n, i64 parts, i64 lower) {
  for (i64 i = FirstOfThread(); i < batch * n * n * parts; i += AllThreads()) {
    if (a[i] == a[i]) continue;
    const i64 element = i / parts, row = element / n % n, column = element % n;
    const bool is_read = lower != 0 ? column <= row : column >= row;
    if (is_read) atomicMax(depths + element / (n * n), i32(n - (row > column ? row : column)));
  }
}

// Removes NaN from `a`, because a library may do anything with it. Replaces the trailing block,
// from the first row and column with a NaN on, by a multiple of the identity matrix, and other NaN
// by 0. FinishCholesky sets the elements of the factor that depend on a NaN to NaN afterwards.
template <typename T>
__device__ void ReplaceNan(T* a, const i32* depths, i64 batch, i64 n, i64 parts) {
  for (i64 i = FirstOfThread(); i < batch * n * n * parts; i += AllThreads()) {
    const i64 element = i / parts, row = element / n % n, column = element % n;
    const i64 first = n - depths[element / (n * n)];
    if (row >= first && column >= first) {
      a[i] = row == column && i % parts == 0 ? T(sizeof(T) == 8 ? 1e200 : 1e30) : T(0);
    } else if (a[i] != a[i]) {
      a[i] = T(0);
    }
  }
}

// Whether element (high, low) of a factor in the lower triangle, or (low, high) of one in the upper
// triangle, depends on a NaN in the same row or column of the matrix `original`.
template <typename T>
__device__ bool ComesFromNan(const T* original, i64 n, i64 parts, i64 lower, i64 high, i64 low) {
  for (i64 i = 0; i <= low; ++i) {
    const T* const element = original + (lower != 0 ? high * n + i : i * n + high) * parts;
    if (element[0] != element[0] || element[parts - 1] != element[parts - 1]) return true;
  }
  return false;
}

// Completes Cholesky factors, which are in one triangle of `a`. Factor elements that depend on a
// NaN become NaN. The other triangle gets the elements of `original`; with `fails` it gets zeros,
// and items whose info is not 0 become NaN altogether.
template <typename T>
__device__ void FinishCholesky(T* a, const T* original, const i32* info, const i32* depths,
                               i64 batch, i64 n, i64 parts, i64 lower, i64 fails) {
  const T nan_value = T(nanf(""));
  for (i64 i = FirstOfThread(); i < batch * n * n * parts; i += AllThreads()) {
    const i64 element = i / parts, row = element / n % n, column = element % n;
    const i64 item = element / (n * n), first = n - depths[item];
    const i64 high = row > column ? row : column, low = row > column ? column : row;
    const bool is_factor = lower != 0 ? column <= row : column >= row;
    if (fails != 0 && info[item] != 0) {
      a[i] = nan_value;
    } else if (!is_factor) {
      a[i] = fails != 0 ? T(0) : original[i];
    } else if (low >= first ||
               (high >= first &&
                ComesFromNan(original + item * n * n * parts, n, parts, lower, high, low))) {
      a[i] = nan_value;
    }
  }
}

// Sets firsts[item] to the number of the first NaN among `count` elements of the item, which are
// `stride` elements apart; to `count` if there is none. Items have `size` elements.
template <typename T>
__device__ void FindFirstNan(i32* firsts, const T* values, i64 batch, i64 count, i64 stride, i64 size,
                             i64 parts, i32* of_threads) {
  for (i64 item = blockIdx.x; item < batch; item += gridDim.x) {
    i32 first = i32(count);
    for (i64 i = i64(threadIdx.x); i < count && first == count; i += 256) {
      const T* const value = values + (item * size + i * stride) * parts;
      if (value[0] != value[0] || value[parts - 1] != value[parts - 1]) first = i32(i);
    }
    of_threads[threadIdx.x] = first;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (i32 i = 1; i < 256; ++i) first = of_threads[i] < first ? of_threads[i] : first;
      firsts[item] = first;
    }
    __syncthreads();
  }
}

// Step firsts[item] of the min(m, n) steps of each item's factorization was the first that met a
// NaN; min(m, n) stands for none. Sets the elements of the row-major matrix that this step and
// later ones compute to NaN: those below the step's row, from the step's column on, and with
// `own_row` those in the step's row to the right of the diagonal.
template <typename T>
__device__ void PropagateNan(T* a, const i32* firsts, i64 batch, i64 m, i64 n, i64 parts, i64 own_row) {
  const i64 steps = m < n ? m : n;
  const T nan_value = T(nanf(""));
  for (i64 i = FirstOfThread(); i < batch * m * n * parts; i += AllThreads()) {
    const i64 element = i / parts, row = element / n % m, column = element % n;
    const i64 first = firsts[element / (m * n)];
    if (first == steps || column < first) continue;
    if (row > first || (row == first && own_row != 0 && column > first)) a[i] = nan_value;
  }
}

// Sets the elements of each item, which has `count` of them, to NaN from number firsts[item] on.
template <typename T>
__device__ void FillTailWithNan(T* values, const i32* firsts, i64 batch, i64 count, i64 parts) {
  const T nan_value = T(nanf(""));
  for (i64 i = FirstOfThread(); i < batch * count * parts; i += AllThreads()) {
    const i64 element = i / parts;
    if (element % count >= firsts[element / count]) values[i] = nan_value;
  }
}

// Sets flags[item] to -4 if one of the item's `count` numbers is infinite or NaN, else to 0.
template <typename T>
__device__ void FlagNonFinite(i32* flags, const T* a, i64 batch, i64 count, i32* found) {
  for (i64 item = blockIdx.x; item < batch; item += gridDim.x) {
    i32 flag = 0;
    for (i64 i = i64(threadIdx.x); i < count; i += 256) {
      const T value = a[item * count + i];
      if (value - value != 0) flag = -4;
    }
    found[threadIdx.x] = flag;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (i32 i = 1; i < 256; ++i) flag |= found[i];
      flags[item] = flag;
    }
    __syncthreads();
  }
}

template <typename T>
__device__ void Divide(T* values, i64 count, i64 divisor) {
  const T factor = T(1 / f64(divisor));
  for (i64 i = FirstOfThread(); i < count; i += AllThreads()) values[i] *= factor;
}

// Makes half spectra of shape [batch, a, b, length / 2 + 1] Hermitian, as those of real values are:
// where the half spectrum has both elements of a conjugate pair (at last index 0 and length / 2),
// each becomes the mean of itself and its partner's conjugate.
template <typename T>
__device__ void FoldSpectrum(T* to, const T* from, i64 batch, i64 a, i64 b, i64 length) {
  const i64 half = length / 2 + 1;
  for (i64 i = FirstOfThread(); i < batch * a * b * half; i += AllThreads()) {
    const i64 k = i % half, j = i / half % b, item_and_h = i / half / b, h = item_and_h % a;
    T re = from[2 * i], im = from[2 * i + 1];
    if (k == 0 || 2 * k == length) {
      const i64 mirror = ((item_and_h - h + (a - h) % a) * b + (b - j) % b) * half + k;
      re = (re + from[2 * mirror]) / 2;
      im = (im - from[2 * mirror + 1]) / 2;
    }
    to[2 * i] = re;
    to[2 * i + 1] = im;
  }
}

extern "C" __global__ void __launch_bounds__(256)
transpose_4(u32* to, const u32* from, i64 batch, i64 rows, i64 columns) {
  __shared__ u32 tile[32 * 33];
  Transpose(to, from, batch, rows, columns, tile);
}

extern "C" __global__ void __launch_bounds__(256)
transpose_8(u64* to, const u64* from, i64 batch, i64 rows, i64 columns) {
  __shared__ u64 tile[32 * 33];
  Transpose(to, from, batch, rows, columns, tile);
}

extern "C" __global__ void __launch_bounds__(256)
transpose_16(Words16* to, const Words16* from, i64 batch, i64 rows, i64 columns) {
  __shared__ Words16 tile[32 * 33];
  Transpose(to, from, batch, rows, columns, tile);
}

extern "C" __global__ void __launch_bounds__(256)
note_nan_f32(i32* depths, const f32* a, i64 batch, i64 n, i64 parts, i64 lower) {
  FindNan(depths, a, batch, n, parts, lower);
}

extern "C" __global__ void __launch_bounds__(256)
hide_nan_f32(f32* a, const i32* depths, i64 batch, i64 n, i64 parts) {
  ReplaceNan(a, depths, batch, n, parts);
}

extern "C" __global__ void __launch_bounds__(256)
finish_cholesky_f32(f32* a, const f32* original, const i32* info, const i32* depths, i64 batch, i64 n,
                    i64 parts, i64 lower, i64 fails) {
  FinishCholesky(a, original, info, depths, batch, n, parts, lower, fails);
}

extern "C" __global__ void __launch_bounds__(256)
note_nan_f64(i32* depths, const f64* a, i64 batch, i64 n, i64 parts, i64 lower) {
  FindNan(depths, a, batch, n, parts, lower);
}

extern "C" __global__ void __launch_bounds__(256)
hide_nan_f64(f64* a, const i32* depths, i64 batch, i64 n, i64 parts) {
  ReplaceNan(a, depths, batch, n, parts);
}

extern "C" __global__ void __launch_bounds__(256)
finish_cholesky_f64(f64* a, const f64* original, const i32* info, const i32* depths, i64 batch, i64 n,
                    i64 parts, i64 lower, i64 fails) {
  FinishCholesky(a, original, info, depths, batch, n, parts, lower, fails);
}

extern "C" __global__ void __launch_bounds__(256)
note_first_nan_f32(i32* firsts, const f32* values, i64 batch, i64 count, i64 stride, i64 size, i64 parts) {
  __shared__ i32 of_threads[256];
  FindFirstNan(firsts, values, batch, count, stride, size, parts, of_threads);
}

extern "C" __global__ void __launch_bounds__(256)
spread_nan_f32(f32* a, const i32* firsts, i64 batch, i64 m, i64 n, i64 parts, i64 own_row) {
  PropagateNan(a, firsts, batch, m, n, parts, own_row);
}

extern "C" __global__ void __launch_bounds__(256)
end_in_nan_f32(f32* values, const i32* firsts, i64 batch, i64 count, i64 parts) {
  FillTailWithNan(values, firsts, batch, count, parts);
}

extern "C" __global__ void __launch_bounds__(256)
note_first_nan_f64(i32* firsts, const f64* values, i64 batch, i64 count, i64 stride, i64 size, i64 parts) {
  __shared__ i32 of_threads[256];
  FindFirstNan(firsts, values, batch, count, stride, size, parts, of_threads);
}

extern "C" __global__ void __launch_bounds__(256)
spread_nan_f64(f64* a, const i32* firsts, i64 batch, i64 m, i64 n, i64 parts, i64 own_row) {
  PropagateNan(a, firsts, batch, m, n, parts, own_row);
}

extern "C" __global__ void __launch_bounds__(256)
end_in_nan_f64(f64* values, const i32* firsts, i64 batch, i64 count, i64 parts) {
  FillTailWithNan(values, firsts, batch, count, parts);
}

extern "C" __global__ void __launch_bounds__(256)
note_not_finite_f32(i32* flags, const f32* a, i64 batch, i64 count) {
  __shared__ i32 found[256];
  FlagNonFinite(flags, a, batch, count, found);
}

extern "C" __global__ void __launch_bounds__(256)
note_not_finite_f64(i32* flags, const f64* a, i64 batch, i64 count) {
  __shared__ i32 found[256];
  FlagNonFinite(flags, a, batch, count, found);
}

// Copies each flag that is not 0 to info.
extern "C" __global__ void __launch_bounds__(256)
adopt_info(i32* info, const i32* flags, i64 count) {
  for (i64 i = FirstOfThread(); i < count; i += AllThreads()) {
    if (flags[i] != 0) info[i] = flags[i];
  }
}

// Copies the items whose flag is not 0, or all if `flags` is nullptr, from `from`, or fills them
// with zeros if that is nullptr. Items have `words` words.
extern "C" __global__ void __launch_bounds__(256)
assign_words(u32* to, const u32* from, const i32* flags, i64 items, i64 words) {
  for (i64 i = FirstOfThread(); i < items * words; i += AllThreads()) {
    if (flags == nullptr || flags[i / words] != 0) to[i] = from == nullptr ? 0 : from[i];
  }
}

extern "C" __global__ void __launch_bounds__(256)
divide_f32(f32* values, i64 count, i64 divisor) {
  Divide(values, count, divisor);
}

extern "C" __global__ void __launch_bounds__(256)
divide_f64(f64* values, i64 count, i64 divisor) {
  Divide(values, count, divisor);
}

extern "C" __global__ void __launch_bounds__(256)
fold_spectrum_f32(f32* to, const f32* from, i64 batch, i64 a, i64 b, i64 length) {
  FoldSpectrum(to, from, batch, a, b, length);
}

extern "C" __global__ void __launch_bounds__(256)
fold_spectrum_f64(f64* to, const f64* from, i64 batch, i64 a, i64 b, i64 length) {
  FoldSpectrum(to, from, batch, a, b, length);
}

// Stores the addresses of `count` items, the first of which is at `first`, at distances of `bytes`.
extern "C" __global__ void __launch_bounds__(256)
list_items(u64* list, u64 first, i64 bytes, i64 count) {
  for (i64 i = FirstOfThread(); i < count; i += AllThreads()) list[i] = first + u64(i * bytes);
}
