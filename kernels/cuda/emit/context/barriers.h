#pragma once

#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/context/code_writer.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The barriers among the statements that the threads of a block execute together. A statement must
// wait until the other threads have finished earlier statements whose accesses conflict with its
// own. Thread-compatible.
class Barriers {
 public:
  // Prints a barrier if `next` conflicts with accesses since the last barrier.
  void WaitBefore(const Statement& next, CodeWriter& out);
  // Prints a barrier.
  void Print(CodeWriter& out);
  // Notes that the code calls a function in which threads wait for each other. The accesses before
  // the call still count as accesses since the last barrier until Forget is called.
  void NoteCall() { has_barriers_ = true; }
  void Forget() { since_barrier_.Clear(); }

  // The accesses since the last barrier. Those of the two alternatives of a branch begin with the
  // accesses before the branch, because a thread does not execute the barriers of the alternative
  // that it does not take; the accesses of both count after the branch.
  const Effects& since_barrier() const { return since_barrier_; }
  void set_since_barrier(const Effects& accesses) { since_barrier_ = accesses; }
  void Add(const Effects& accesses) { since_barrier_.Add(accesses); }

  // Whether the threads of a block synchronize with each other anywhere (CudaKernel::has_barriers).
  bool has_barriers() const { return has_barriers_; }

 private:
  Effects since_barrier_;
  bool has_barriers_ = false;
};

}  // namespace acceld::kernels::cuda
