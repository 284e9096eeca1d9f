#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/ir/plan.h"

// Bytes as tests hold them and memory as kernels take it.
namespace acceld::kernels {

struct AlignedFree {
  void operator()(char* memory) const { std::free(memory); }
};
using AlignedBytes = std::unique_ptr<char, AlignedFree>;

inline AlignedBytes AllocateAligned(int64_t bytes) {
  const int64_t rounded = (bytes + kBufferAlignment) / kBufferAlignment * kBufferAlignment;
  return AlignedBytes(static_cast<char*>(std::aligned_alloc(kBufferAlignment, rounded)));
}

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <typename T>
std::vector<T> ValuesOf(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace acceld::kernels
