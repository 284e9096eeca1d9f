#pragma once

#include <algorithm>
#include <cstdint>

namespace acceld::kernels::cuda {

// The shared memory of a thread block that a kernel's code declares: arrays for scratch and tiles,
// of which each loop nest of the kernel has its own, and one array that all reductions and scans
// share. Thread-compatible.
class SharedMemory {
 public:
  // The bytes that are left for scratch and tiles.
  int64_t bytes_left() const { return bytes_left_; }
  // Subtracts the size of an array that the code declares. It may exceed bytes_left().
  void Reserve(int64_t size_bytes) { bytes_left_ -= size_bytes; }

  // The number of 8-byte values in the array for reductions, which has the name `space`; 0 if there
  // is none. Each reduction raises it to what it needs, at most 1024.
  int reduction_values() const { return reduction_values_; }
  void RaiseReductionValues(int values) { reduction_values_ = std::max(reduction_values_, values); }

 private:
  // A thread block has 48 KiB, of which 8 KiB are reserved for reductions.
  int64_t bytes_left_ = int64_t{40} << 10;
  int reduction_values_ = 0;
};

}  // namespace acceld::kernels::cuda
