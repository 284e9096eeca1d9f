#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "kernels/cuda/emit/analysis/cancellation_polls.h"
#include "kernels/cuda/emit/analysis/cooperative_work.h"
#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/analysis/lanes.h"
#include "kernels/cuda/emit/analysis/narrow_indices.h"
#include "kernels/cuda/emit/analysis/tiles.h"
#include "kernels/cuda/emit/contraction.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Prints one kernel as CUDA C++. Each statement is printed for a group of threads (ThreadGroup)
// that executes it together: every thread of the group computes the scalars, the iterations of
// parallel loops and of reductions are distributed among the threads, and a single thread executes
// other stores. For single use. The kernel must outlive the printer.
class KernelPrinter {
 public:
  KernelPrinter(const Kernel& kernel, const WorkDivision& sharing);

  CudaKernel Print();

 private:
  // A group of threads that executes statements together: all threads of the launch, the threads of
  // a thread block, the threads of a thread block that share a column (PrintColumns), or one
  // thread.
  enum class ThreadGroup : uint8_t { kGrid, kBlock, kColumn, kThread };

  // Chooses the group that executes the kernel's body. All thread blocks do so only if they need
  // not wait for each other.
  ThreadGroup ChooseThreadGroup();
  // Chooses the number of threads in a block for so many iterations to share.
  void ChooseThreads(int64_t work);

  void PrintBlock(const Block& block, ThreadGroup group);
  void Print(const ConstantStatement& constant, ThreadGroup group);
  void Print(const ScalarStatement& scalar, ThreadGroup group);
  void Print(const LoadStatement& load, ThreadGroup group);
  void Print(const StoreStatement& store, ThreadGroup group);
  void Print(const ForStatement& loop, ThreadGroup group);
  void Print(const WhileStatement& loop, ThreadGroup group);
  void Print(const IfStatement& branch, ThreadGroup group);

  // Prints a loop of which every thread of the group executes all iterations.
  void PrintLoop(const ForStatement& loop, ThreadGroup group);
  // Prints a loop nest whose iterations the threads of the group share, in one of the ways below.
  void PrintShared(const ParallelNest& nest, ThreadGroup group);
  // Each thread block executes an iteration of the nest together.
  void PrintRows(const ParallelNest& nest);
  // Each thread executes iterations of the nest by itself.
  void PrintElements(const ParallelNest& nest, ThreadGroup group);
  // Prints a reduction whose iterations the threads of a block or of a column share.
  void PrintReduction(const SharedReduction& reduction, ThreadGroup group);
  // Prints a reduction that one thread executes.
  void PrintReductionAlone(const SharedReduction& reduction);
  // Whether the reduction's value number i is a float sum that is to be compensated for rounding
  // errors (device/sums.cuh), and whether any of its values is one.
  bool IsExact(const SharedReduction& reduction, size_t i) const;
  bool HasExactSums(const SharedReduction& reduction) const;
  // The pieces of a reduction: the definition of a thread's accumulators, one iteration, the final
  // rounding of compensated sums, and the definition of the results.
  void PrintPartials(const SharedReduction& reduction);
  void PrintIteration(const SharedReduction& reduction);
  void PrintRounding(const SharedReduction& reduction);
  void PrintResults(const SharedReduction& reduction);
  // Prints a scan that a thread block executes together, or one thread several iterations at a
  // time.
  void PrintScan(const SharedScan& scan, ThreadGroup group);
  // Each thread block executes 32 adjacent iterations of the nest (columns), with `threads` threads
  // for each of them.
  void PrintColumns(const ParallelNest& nest, int threads);
  // Each thread executes several adjacent iterations of the nest, with vector accesses (FindLanes).
  void PrintLanes(const ParallelNest& nest, const Lanes& lanes);
  // Each thread block executes tiles of the nest's iterations by way of shared memory (FindTiles).
  void PrintTiles(const ParallelNest& nest, const Tiles& tiles);
  // Begins a loop over the elements of a tile, which the threads of a block share; adjacent threads
  // get adjacent iterations of `columns`. Defines `row`, `column` and the loops' induction
  // variables.
  void OpenTile(const ForStatement& columns, const ForStatement& rows);
  void CloseTile();
  // Begins a loop, with the counter `name`, whose iterations are distributed among thread blocks.
  void OpenBlockLoop(int64_t iterations, const Block& body, absl::string_view name = "flat");
  // Begins a loop, with the counter `flat`, whose iterations are distributed among all threads.
  void OpenGridLoop(int64_t iterations, const Block& body);
  // Prints a poll for cancellation that leaves the loop, if the kernel has so much work that the
  // loop must poll (CancellationPolls). The loop has `turns` iterations, numbered from 0 by the
  // expression `turn`, and each executes `body` once.
  void LeaveIfCancelled(absl::string_view iteration, double num_iterations, const Block& body,
                        ThreadGroup group);
  // Defines the induction variables of `loops` from the counter `flat`, which is below the product
  // of their extents. With a width, each value of `flat` stands for that many iterations of the
  // last loop, and the last induction variable is the first of these.
  void PrintInductions(const std::vector<const ForStatement*>& loops, int64_t iterations,
                       int64_t width = 1);
  // Prints those statements directly in `block` that are in `statements`; no loops or branches.
  void PrintSlice(const Block& block, const absl::flat_hash_set<const Statement*>& statements);
  // Declares the scratch arrays that `block` uses, in shared memory if `group` is a block.
  void PrintScratch(const Block& block, ThreadGroup group);
  // Declare the variables for a loop's carried values before the loop, and assign the next values
  // at the end of its body.
  void PrintCarried(const std::vector<CarriedValue>& carried);
  void PrintNext(const std::vector<CarriedValue>& carried);
  // Prints a barrier if `group` is a block and `next` conflicts with accesses since the last
  // barrier.
  void WaitBefore(const Statement& next, ThreadGroup group);
  void Barrier();
  // Returns an "if (...) " that is true for one thread of the group; empty for a single thread.
  static absl::string_view IfFirst(ThreadGroup group);

  // The type of a loop counter: 32 bits if it can hold the number of iterations and one stride
  // more, because GPUs divide 64-bit integers very slowly.
  static absl::string_view FlatType(int64_t iterations);
  void Line(absl::string_view text);
  void Open(absl::string_view text);  // prints "text {" and indents what follows
  void Close();
  // The type in which a value is computed: i32 for i64 values that always fit it.
  DType TypeOf(Var var) const { return narrow_[var] ? DType::kI32 : kernel_.TypeOf(var); }
  std::string Define(Var var) const;  // "const T vN"
  static std::string Name(Var var);
  // An expression for the address of a buffer's first element.
  std::string Base(uint32_t buffer) const;
  // An expression for the value in the type that it has in kernel IR.
  std::string Wide(Var var) const;
  std::string Text(const ScalarStatement& scalar) const;

  const Kernel& kernel_;
  const WorkDivision work_division_;
  const std::vector<bool> narrow_;  // FindNarrowIndices
  const CooperativeWork cooperative_work_;
  const CancellationPolls cancellation_polls_;
  const Constants constants_;
  const Contraction contraction_;
  const int64_t scratch_bytes_;
  const bool resolves_at_use_;  // whether pointers are resolved at each use, not once at the start
  CudaKernel out_;
  int shared_values_ = 0;  // the number of 8-byte values in shared memory that reductions need
  // The bytes left for scratch and tiles of the 48 KiB of shared memory of a thread block. Each
  // loop nest of the kernel has its own; 8 KiB are reserved for reductions.
  int64_t shared_bytes_left_ = int64_t{40} << 10;
  int depth_ = 0;
  Effects since_barrier_;  // accesses since the last barrier
};

}  // namespace acceld::kernels::cuda
