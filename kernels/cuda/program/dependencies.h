#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "kernels/cuda/program/accesses.h"

namespace acceld::kernels::cuda {

// Finds the dependencies between the nodes of a graph from their memory accesses. Nodes are
// numbered from 0 in the order in which they are added, which must be a valid sequential order.
class Dependencies {
 public:
  // Adds the next node, which makes `accesses`. Returns the numbers of earlier nodes that must end
  // before it begins, in ascending order. Nodes on which it depends only by way of these may or may
  // not be included.
  std::vector<size_t> Add(absl::Span<const Access> accesses);

 private:
  static constexpr size_t kNoNode = static_cast<size_t>(-1);
  // A range of bytes with the same history of accesses.
  struct Range {
    int64_t end = 0;
    size_t writer = kNoNode;      // the last node that wrote the bytes
    std::vector<size_t> readers;  // the nodes that have read them since then
  };
  using Ranges = std::map<int64_t, Range>;  // disjoint, by first byte

  // Splits the range that contains `offset` in its interior, if there is one.
  static void SplitAt(Ranges& ranges, int64_t offset);
  // Record an access by the next node to bytes [begin, end), and add the nodes for which it must
  // wait to `before`.
  void Read(Ranges& ranges, int64_t begin, int64_t end, std::vector<size_t>& before);
  void Write(Ranges& ranges, int64_t begin, int64_t end, std::vector<size_t>& before);

  size_t next_ = 0;                                             // the number of the next node
  std::map<std::pair<Slice::Space, uint32_t>, Ranges> spaces_;  // for each space and index
};

}  // namespace acceld::kernels::cuda
