// Compensated sums of floats: a sum is a pair of the rounded sum so far and the accumulated
// rounding errors. Source: Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem
// B.

// Adds `part` to the sum (high, low).
template <typename T>
__device__ inline void AddCompensated(T& high, T& low, T part) {
  const T sum = high + part, of_part = sum - high, of_high = sum - of_part;
  low += (high - of_high) + (part - of_part);
  high = sum;
}

// Rounds a sum to one number. The rounding errors of infinities and NaN are ignored.
template <typename T>
__device__ inline T RoundedSum(T high, T low) {
  return high - high == 0 ? high + low : high;
}

