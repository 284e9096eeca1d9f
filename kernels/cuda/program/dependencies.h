#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "kernels/cuda/program/accesses.h"

namespace acceld::kernels::cuda {

// Which of the nodes of a graph have to wait for each other. They are added in an order in which
// they could run one after the other, and are counted from 0.
class Dependencies {
 public:
  // The nodes that have to end before the next one, which touches `accesses`, begins; ascending.
  // What follows from these may be left out or not.
  std::vector<size_t> Add(absl::Span<const Access> accesses);

 private:
  static constexpr size_t kNobody = static_cast<size_t>(-1);
  // Bytes with the same history.
  struct Range {
    int64_t end = 0;
    size_t writer = kNobody;
    std::vector<size_t> readers;  // since then
  };
  using Ranges = std::map<int64_t, Range>;  // by begin; disjoint

  static void SplitAt(Ranges& ranges, int64_t offset);
  void Read(Ranges& ranges, int64_t begin, int64_t end, std::vector<size_t>& before);
  void Write(Ranges& ranges, int64_t begin, int64_t end, std::vector<size_t>& before);

  size_t next_ = 0;
  std::map<std::pair<Slice::Space, uint32_t>, Ranges> spaces_;
};

}  // namespace acceld::kernels::cuda
