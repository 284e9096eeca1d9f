// Adjacent elements that one thread loads or stores by a single vector access of up to 16 bytes.
// The address must be a multiple of the access size.

template <typename T, int kWidth>
struct alignas(sizeof(T) * kWidth) Lanes {
  T at[kWidth];
};

template <int kWidth, typename T>
__device__ Lanes<T, kWidth> LoadLanes(const T* from) {
  return *reinterpret_cast<const Lanes<T, kWidth>*>(from);
}

template <int kWidth, typename T>
__device__ void StoreLanes(T* to, const Lanes<T, kWidth>& lanes) {
  *reinterpret_cast<Lanes<T, kWidth>*>(to) = lanes;
}
