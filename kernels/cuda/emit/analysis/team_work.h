#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/cuda/emit/analysis/shared_scan.h"
#include "kernels/ir/build/nests.h"
#include "kernels/ir/kernel.h"

// What several threads can do of a kernel together.
namespace acceld::kernels::cuda {

// Reduction loops that directly contain each other and combine each carried value by one operation
// that has an identity, so that each thread can take a part of the iterations.
struct SharedReduction {
  std::vector<const ForStatement*> loops;  // outermost first
  std::vector<ScalarOp> combine;           // of each carried value
  int64_t iterations = 1;

  const Block& body() const { return loops.back()->body; }
};

// What a team can do with each block and loop of a kernel, which must not change or move. Found in
// one pass, in time that grows like the kernel.
class TeamWork {
 public:
  explicit TeamWork(const Kernel& kernel);

  // The most iterations that a block of threads could share at a time somewhere in `block`, where
  // all of them are; 1 when there is nothing to share.
  int64_t WorkIn(const Block& block) const { return facts_.at(&block).work; }
  // Whether all threads of a team can go through `block` together: what only one of them may do,
  // because it stores, gives the others no value.
  bool Suits(const Block& block) const { return facts_.at(&block).suits; }
  // Null when `loop` is no such reduction.
  const SharedReduction* ReductionOf(const ForStatement& loop) const;
  // Null when `loop` is no scan that threads can share.
  const SharedScan* ScanOf(const ForStatement& loop) const;
  // Whether one of the block's own statements is such a scan.
  bool HasScan(const Block& block) const;

 private:
  struct BlockFacts {
    bool has_stores = false;
    bool suits = true;
    int64_t work = 1;
  };
  friend class TeamWorkFinder;

  absl::flat_hash_map<const Block*, BlockFacts> facts_;
  absl::flat_hash_map<const ForStatement*, SharedReduction> reductions_;
  absl::flat_hash_map<const ForStatement*, SharedScan> scans_;
};

}  // namespace acceld::kernels::cuda
