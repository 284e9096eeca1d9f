#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/cuda/emit/analysis/shared_scan.h"
#include "kernels/ir/build/loop_nests.h"
#include "kernels/ir/kernel.h"

// Finds the parts of a kernel that a group of threads can execute together.
namespace acceld::kernels::cuda {

// A perfect nest of reduction loops that combine each carried value by one operation with an
// identity element, so that each thread can execute a part of the iterations.
struct SharedReduction {
  std::vector<const ForStatement*> loops;  // outermost first
  std::vector<ScalarOp> combine;           // the operation for each carried value
  int64_t iterations = 1;                  // the product of the extents

  const Block& body() const { return loops.back()->body; }
};

// What a group of cooperating threads can do with each block and loop of a kernel. The kernel must
// outlive the object and must not change. Thread-compatible.
class CooperativeWork {
 public:
  // The time is linear in the size of the kernel.
  explicit CooperativeWork(const Kernel& kernel);

  // The largest number of iterations that the threads of a thread block could share in a loop nest
  // inside `block`, when all of them execute `block`; 1 if there is nothing to share.
  int64_t WorkIn(const Block& block) const { return facts_.at(&block).work; }
  // Whether a group of threads can execute `block` together. It cannot if a part that only one
  // thread may execute, because it stores, also computes values, which other threads would lack.
  bool CanExecuteTogether(const Block& block) const {
    return facts_.at(&block).can_execute_together;
  }
  // The reduction nest that begins with `loop`; nullptr if threads cannot share it.
  const SharedReduction* ReductionOf(const ForStatement& loop) const;
  // The scan; nullptr if `loop` is no scan that threads can share.
  const SharedScan* ScanOf(const ForStatement& loop) const;
  // Whether a statement directly in the block is a scan that threads can share.
  bool HasScan(const Block& block) const;

 private:
  struct BlockFacts {
    bool has_stores = false;
    bool can_execute_together = true;
    int64_t work = 1;
  };
  friend class CooperativeWorkFinder;

  absl::flat_hash_map<const Block*, BlockFacts> facts_;
  absl::flat_hash_map<const ForStatement*, SharedReduction> reductions_;
  absl::flat_hash_map<const ForStatement*, SharedScan> scans_;
};

}  // namespace acceld::kernels::cuda
