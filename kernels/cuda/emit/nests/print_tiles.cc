#include "kernels/cuda/emit/nests/print_tiles.h"

#include <cstdint>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/emit/nests/flat_loop.h"
#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/statements/print_block.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int kThreads = 256;  // Each thread has four elements of a tile of 32 x 32.

// The number of iterations of one of the nest's loops when all tiles are counted: of the loops
// along which tiles extend, the number of tiles.
int64_t TilesAlong(const ForStatement& loop, const ParallelNest& nest, const Tiles& tiles) {
  const bool is_tiled = &loop == nest.loops.back() || &loop == tiles.across;
  return is_tiled ? CeilDivide(loop.extent, kTileSide) : loop.extent;
}

// Declares an array for the elements of a tile for each load that goes through shared memory. The
// rows have an element more, so that the elements of a column are in different memory banks.
void DeclareTiles(PrintContext& context, const Block& body, const Tiles& tiles) {
  context.shared_memory.Reserve(tiles.bytes);
  for (const Statement& statement : body) {
    if (!tiles.loads.contains(&statement)) continue;
    const auto& load = std::get<LoadStatement>(statement.value);
    context.out.Line("__shared__ ", RegisterType(context.kernel.Buffer(load.buffer).dtype),
                     " tile_", VariableName(load.result), "[", kTileSide, "][", kTileSide + 1,
                     "];");
  }
}

// Defines where the tile number `flat` of `count` is: the first iterations of the two loops along
// which it extends, and the induction variables of the others.
void DefineTile(PrintContext& context, const ParallelNest& nest, const Tiles& tiles,
                int64_t count) {
  int64_t inner = count;
  for (const ForStatement* loop : nest.loops) {
    const int64_t extent = TilesAlong(*loop, nest, tiles);
    inner /= extent;
    const std::string value = absl::StrCat("flat / ", inner, " % ", extent);
    if (loop == nest.loops.back() || loop == tiles.across) {
      context.out.Line("const ", RegisterType(context.expressions.ComputedType(loop->induction)),
                       " start_", VariableName(loop->induction), " = ", value, " * ", kTileSide,
                       ";");
    } else {
      context.out.Line(context.expressions.Definition(loop->induction), " = ", value, ";");
    }
  }
}

// Begins a loop over the elements of a tile, which the threads of a block share; adjacent threads
// have adjacent iterations of `columns`. Defines `row`, `column` and the loops' induction
// variables.
void OpenTile(PrintContext& context, const ForStatement& columns, const ForStatement& rows) {
  CodeWriter& out = context.out;
  // The block may have more threads because of another nest of the kernel.
  out.Open("if (threadIdx.x < ", kThreads, ")");
  out.Line("#pragma unroll");
  out.Open("for (int turn = 0; turn < ", kTileSide * kTileSide / kThreads, "; ++turn)");
  out.Line("const int column = threadIdx.x % ", kTileSide, ";");
  out.Line("const int row = threadIdx.x / ", kTileSide, " + turn * ", kThreads / kTileSide, ";");
  std::string inside = "true";
  const auto define = [&](const ForStatement& loop, absl::string_view at) {
    const std::string name = VariableName(loop.induction);
    out.Line(context.expressions.Definition(loop.induction), " = start_", name, " + ", at, ";");
    if (loop.extent % kTileSide != 0) absl::StrAppend(&inside, " && ", name, " < ", loop.extent);
  };
  define(columns, "column");
  define(rows, "row");
  out.Open("if (", inside, ")");
}

void CloseTile(CodeWriter& out) {
  for (int brace = 0; brace < 3; ++brace) out.Close();
}

// Loads the elements of a tile into shared memory.
void LoadTile(PrintContext& context, const Block& body, const Tiles& tiles) {
  PrintSlice(context, body, tiles.indices);
  for (const Statement& statement : body) {
    if (!tiles.loads.contains(&statement)) continue;
    const auto& load = std::get<LoadStatement>(statement.value);
    context.out.Line("tile_", VariableName(load.result),
                     "[row][column] = ", context.expressions.Element(load.buffer, load.index), ";");
  }
}

// Executes the nest's body with the elements in shared memory.
void ComputeTile(PrintContext& context, const Block& body, const Tiles& tiles) {
  for (const Statement& statement : body) {
    if (tiles.loads.contains(&statement)) {
      const Var result = std::get<LoadStatement>(statement.value).result;
      context.out.Line(context.expressions.Definition(result), " = tile_", VariableName(result),
                       "[column][row];");
    } else {
      PrintStatement(context, statement, ThreadGroup::kThread);
    }
  }
}

}  // namespace

void PrintTiles(PrintContext& context, const ParallelNest& nest, const Tiles& tiles) {
  const ForStatement& last = *nest.loops.back();
  int64_t count = 1;
  for (const ForStatement* loop : nest.loops) count *= TilesAlong(*loop, nest, tiles);
  context.launch_size.RaiseThreads(kThreads);
  OpenBlockLoop(context, count, nest.body());
  DeclareTiles(context, nest.body(), tiles);
  DefineTile(context, nest, tiles, count);
  OpenTile(context, *tiles.across, last);
  LoadTile(context, nest.body(), tiles);
  CloseTile(context.out);
  context.barriers.Print(context.out);
  OpenTile(context, last, *tiles.across);
  ComputeTile(context, nest.body(), tiles);
  CloseTile(context.out);
  context.barriers.Print(context.out);
  context.out.Close();
}

}  // namespace acceld::kernels::cuda
