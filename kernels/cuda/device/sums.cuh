// Sums of floats whose rounding is not lost: a sum is a pair, what has been added up so far and
// what rounding has lost of it. Source: Knuth, The Art of Computer Programming, volume 2, section
// 4.2.2, theorem B.

template <typename T>
__device__ inline void AddExactly(T& high, T& low, T part) {
  const T sum = high + part, of_part = sum - high, of_high = sum - of_part;
  low += (high - of_high) + (part - of_part);
  high = sum;
}

// As one number. Of an infinity or a NaN, what rounding has lost means nothing.
template <typename T>
__device__ inline T RoundedSum(T high, T low) {
  return high - high == 0 ? high + low : high;
}

