#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/analysis/lanes.h"
#include "kernels/cuda/emit/analysis/long_work.h"
#include "kernels/cuda/emit/analysis/narrow_indices.h"
#include "kernels/cuda/emit/analysis/team_work.h"
#include "kernels/cuda/emit/analysis/tiles.h"
#include "kernels/cuda/emit/contraction.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Writes one kernel. All threads of a team go through the same statements: scalars are computed by
// each of them, the iterations of a parallel loop and of a reduction are shared out, and what
// stores outside of them is done by one. Teams: all threads of the launch, those of a block, those
// of a block that belong to one column, one thread.
class KernelPrinter {
 public:
  KernelPrinter(const Kernel& kernel, const Sharing& sharing);

  CudaKernel Print();

 private:
  enum class Team : uint8_t { kGrid, kBlock, kColumn, kThread };

  // How many threads share the kernel's body, and whether all blocks may without waiting.
  Team ChooseTeam();
  void ChooseThreads(int64_t work);

  void PrintBlock(const Block& block, Team team);
  void Print(const ConstantStatement& constant, Team team);
  void Print(const ScalarStatement& scalar, Team team);
  void Print(const LoadStatement& load, Team team);
  void Print(const StoreStatement& store, Team team);
  void Print(const ForStatement& loop, Team team);
  void Print(const WhileStatement& loop, Team team);
  void Print(const IfStatement& branch, Team team);

  // A loop that every thread of the team runs as it stands.
  void PrintLoop(const ForStatement& loop, Team team);
  void PrintShared(const ParallelNest& nest, Team team);
  void PrintRows(const ParallelNest& nest);
  void PrintElements(const ParallelNest& nest, Team team);
  void PrintReduction(const SharedReduction& reduction, Team team);
  // By one thread.
  void PrintReductionAlone(const SharedReduction& reduction);
  // Whether the reduction's value number i is a sum of which no rounding is to be lost.
  bool IsExact(const SharedReduction& reduction, size_t i) const;
  bool HasExactSums(const SharedReduction& reduction) const;
  // Parts of a reduction: what each thread begins with, does in an iteration, and has in the end;
  // and how results come of that.
  void PrintPartials(const SharedReduction& reduction);
  void PrintIteration(const SharedReduction& reduction);
  void PrintRounding(const SharedReduction& reduction);
  void PrintResults(const SharedReduction& reduction);
  // By a block together, or by one thread, several iterations at a time.
  void PrintScan(const SharedScan& scan, Team team);
  // Blocks of 32 columns, each for as many threads as it takes to make `threads` for a column.
  void PrintColumns(const ParallelNest& nest, int threads);
  void PrintLanes(const ParallelNest& nest, const Lanes& lanes);
  void PrintTiles(const ParallelNest& nest, const Tiles& tiles);
  // Each thread takes places of a tile, neighbours along `columns`, with `row` and `column`.
  void OpenTile(const ForStatement& columns, const ForStatement& rows);
  void CloseTile();
  // `name` goes over all iterations, each for a block of threads.
  void OpenBlockLoop(int64_t iterations, const Block& body, absl::string_view name = "flat");
  // `flat` goes over all iterations, which all threads of the launch share.
  void OpenGridLoop(int64_t iterations, const Block& body);
  // Inside a loop whose turns each go through `body` once: leaves it when the launch is cancelled,
  // if there is so much to do. `turn` counts from 0.
  void LeaveIfCancelled(absl::string_view turn, double turns, const Block& body, Team team);
  // Inductions of `loops` from `flat`, a number below their product. With a width, each `flat`
  // stands for so many iterations of the last one, and its induction for the first of them.
  void PrintInductions(const std::vector<const ForStatement*>& loops, int64_t iterations,
                       int64_t width = 1);
  // Those of `statements`, which are in `block` and neither loops nor branches.
  void PrintSlice(const Block& block, const absl::flat_hash_set<const Statement*>& statements);
  // The scratch that `block` uses.
  void PrintScratch(const Block& block, Team team);
  void PrintCarried(const std::vector<CarriedValue>& carried);
  void PrintNext(const std::vector<CarriedValue>& carried);
  // Lets the block's threads wait for each other, if `next` touches what is not settled.
  void WaitBefore(const Statement& next, Team team);
  void Barrier();
  // "if (...) " that is true for one thread of the team; empty for a team of one.
  static absl::string_view IfFirst(Team team);

  // Of a number of iterations: 32 bits where it fits with one stride past the end, because GPUs
  // divide 64 bits very slowly.
  static absl::string_view FlatType(int64_t iterations);
  void Line(absl::string_view text);
  void Open(absl::string_view text);  // "text {", and what follows is inside
  void Close();
  // i32 for indices that fit it.
  DType TypeOf(Var var) const { return narrow_[var] ? DType::kI32 : kernel_.TypeOf(var); }
  std::string Define(Var var) const;  // "const T vN"
  static std::string Name(Var var);
  // Where a buffer begins.
  std::string Base(uint32_t buffer) const;
  // The value in the type that kernel IR gives it.
  std::string Wide(Var var) const;
  std::string Text(const ScalarStatement& scalar) const;

  const Kernel& kernel_;
  const Sharing sharing_;
  const std::vector<bool> narrow_;
  const TeamWork team_work_;
  const LongWork long_work_;
  const Constants constants_;
  const Contraction contraction_;
  const int64_t scratch_bytes_;
  const bool places_at_use_;  // of buffers; else at the beginning
  CudaKernel out_;
  int shared_values_ = 0;  // that reductions need
  // Of the 48 KiB that the threads of a block share, what is left for scratch and tiles: the loops
  // of a kernel each have their own, and reductions 8 KiB.
  int64_t shared_bytes_left_ = int64_t{40} << 10;
  int depth_ = 0;
  Effects since_barrier_;
};

}  // namespace acceld::kernels::cuda
