// The part of KernelPrinter that prints nests of which each thread block computes tiles by way of
// shared memory.
#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/emit/kernel_printer.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int kThreads = 256;  // Each thread has four elements of a tile of 32 x 32.

int64_t SideTilesOf(const ForStatement& loop) { return CeilDivide(loop.extent, kTileSide); }

}  // namespace

void KernelPrinter::PrintTiles(const ParallelNest& nest, const Tiles& tiles) {
  const ForStatement& last = *nest.loops.back();
  const auto is_tiled = [&](const ForStatement* loop) {
    return loop == &last || loop == tiles.across;
  };
  int64_t count = 1;
  for (const ForStatement* loop : nest.loops) {
    count *= is_tiled(loop) ? SideTilesOf(*loop) : loop->extent;
  }
  out_.threads = std::max(out_.threads, kThreads);
  shared_bytes_left_ -= tiles.bytes;
  OpenBlockLoop(count, nest.body());
  for (const Statement& statement : nest.body()) {
    if (!tiles.loads.contains(&statement)) continue;
    const auto& load = std::get<LoadStatement>(statement.value);
    Line(absl::StrCat("__shared__ ", RegisterType(kernel_.Buffer(load.buffer).dtype), " tile_",
                      Name(load.result), "[", kTileSide, "][", kTileSide + 1, "];"));
  }
  int64_t inner = count;
  for (const ForStatement* loop : nest.loops) {
    const int64_t extent = is_tiled(loop) ? SideTilesOf(*loop) : loop->extent;
    inner /= extent;
    const std::string value = absl::StrCat("flat / ", inner, " % ", extent);
    if (is_tiled(loop)) {
      Line(absl::StrCat("const ", RegisterType(TypeOf(loop->induction)), " start_",
                        Name(loop->induction), " = ", value, " * ", kTileSide, ";"));
    } else {
      Line(absl::StrCat(Define(loop->induction), " = ", value, ";"));
    }
  }

  OpenTile(*tiles.across, last);
  PrintSlice(nest.body(), tiles.indices);
  for (const Statement& statement : nest.body()) {
    if (!tiles.loads.contains(&statement)) continue;
    const auto& load = std::get<LoadStatement>(statement.value);
    Line(absl::StrCat("tile_", Name(load.result), "[row][column] = ", Base(load.buffer), "[",
                      Name(load.index), "];"));
  }
  CloseTile();
  Barrier();
  OpenTile(last, *tiles.across);
  for (const Statement& statement : nest.body()) {
    if (tiles.loads.contains(&statement)) {
      const auto& load = std::get<LoadStatement>(statement.value);
      Line(absl::StrCat(Define(load.result), " = tile_", Name(load.result), "[column][row];"));
    } else {
      std::visit([this](const auto& one) { Print(one, ThreadGroup::kThread); }, statement.value);
    }
  }
  CloseTile();
  Barrier();
  Close();
}

void KernelPrinter::OpenTile(const ForStatement& columns, const ForStatement& rows) {
  // The block may have more threads because of another nest of the kernel.
  Open(absl::StrCat("if (threadIdx.x < ", kThreads, ")"));
  Line("#pragma unroll");
  Open(absl::StrCat("for (int turn = 0; turn < ", kTileSide * kTileSide / kThreads, "; ++turn)"));
  Line(absl::StrCat("const int column = threadIdx.x % ", kTileSide, ";"));
  Line(absl::StrCat("const int row = threadIdx.x / ", kTileSide, " + turn * ", kThreads / kTileSide,
                    ";"));
  std::string inside = "true";
  const auto define = [&](const ForStatement& loop, absl::string_view at) {
    const std::string name = Name(loop.induction);
    Line(absl::StrCat(Define(loop.induction), " = start_", name, " + ", at, ";"));
    if (loop.extent % kTileSide != 0) absl::StrAppend(&inside, " && ", name, " < ", loop.extent);
  };
  define(columns, "column");
  define(rows, "row");
  Open(absl::StrCat("if (", inside, ")"));
}

void KernelPrinter::CloseTile() {
  for (int i = 0; i < 3; ++i) Close();
}

}  // namespace acceld::kernels::cuda
