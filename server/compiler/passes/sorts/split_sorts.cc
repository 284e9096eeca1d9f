#include "server/compiler/passes/sorts/split_sorts.h"

#include <algorithm>
#include <bit>

#include "common/ceil_divide.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/passes/sorts/order_nan.h"
#include "server/compiler/passes/sorts/sort_keys.h"
#include "server/compiler/passes/sorts/sort_rows.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// For targets with one thread per unit of work: rows up to this length are sorted by one thread
// each.
constexpr int64_t kLongRow = 4096;
// With fewer elements in all rows together, one thread finishes before other threads have started.
constexpr int64_t kMinElements = int64_t{1} << 15;
// The bounds on the length of the runs that such a thread sorts first.
constexpr int64_t kMinRun = 1024, kMaxRun = int64_t{1} << 20;

// For targets where a thread block works together: the longest run that a block sorts first, and
// the bytes of shared memory that it has for two copies of the run.
constexpr int64_t kMaxThreadBlockRun = 2048, kRunSharedMemoryBytes = int64_t{32} << 10;
// How many elements each of the block's threads merges at a time, in such runs and in longer ones.
constexpr int64_t kThreadBlockPiece = 2, kLongPiece = 16;
// One thread sorts a row if the row has at most kTinyRow elements, or if there are at least
// kManyRows rows of at most kShortRow elements.
constexpr int64_t kTinyRow = 8, kShortRow = 64, kManyRows = 16'384;

// The fewest elements of a block of a row from which one thread selects, and the least ratio of
// these to the elements that are kept.
constexpr int64_t kMinBlock = 4096, kMinBlockRatio = 16;

int64_t PowerOfTwo(int64_t at_least) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least)));
}

class Splitter {
 public:
  explicit Splitter(const codegen::Target& target)
      : units_(target.parallel_units()), threads_per_unit_(target.threads_per_unit()) {}

  absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) const {
    if (op.kind != OpKind::kSort && op.kind != OpKind::kPartialSort) return false;
    const ir::TensorType& type = rewriter.TensorOf(op.operands[0]);
    if (type.rank() == 0 || type.num_elements() == 0) return false;
    int64_t dimension = op.kind == OpKind::kSort ? op.As<ir::SortAttributes>().dimension
                                                 : op.As<ir::PartialSortAttributes>().dimension;
    if (dimension < 0) dimension += type.rank();
    if (type.dims[dimension] < 2 || type.dims[dimension] > int64_t{1} << 31) return false;
    SortRows rows(rewriter, op, dimension);
    const bool done = op.kind == OpKind::kSort
                          ? Sort(rewriter, op, rows)
                          : Select(op.As<ir::PartialSortAttributes>().limit, rows);
    if (done) rows.Finish();
    return done;
  }

 private:
  // Whether the threads of a block work together on one unit of work.
  bool uses_thread_blocks() const { return threads_per_unit_ > 1; }

  // Returns the longest run that a thread block can sort; less than 2 if the elements are too large
  // for that.
  static int64_t ThreadBlockRun(const SortRows& rows) {
    const auto most = static_cast<uint64_t>(kRunSharedMemoryBytes / 2 / rows.element_bytes());
    return std::min(kMaxThreadBlockRun, static_cast<int64_t>(std::bit_floor(most)));
  }

  // Emits the ops of a sort. May change the comparator of `op` so that it orders NaN. Returns false
  // if the sort is to stay.
  bool Sort(Rewriter& rewriter, ir::Op& op, SortRows& rows) const {
    const int64_t length = rows.length(), elements = rows.rows() * length;
    if (uses_thread_blocks()) {
      if (length <= kTinyRow || (length <= kShortRow && rows.rows() >= kManyRows)) return false;
    } else if (length <= kLongRow || elements < kMinElements) {
      return false;
    }
    const bool is_one_run = uses_thread_blocks() && length <= ThreadBlockRun(rows);
    const auto keys = FindSortKeys(rewriter.function(), op.regions[0]);
    if (!is_one_run && keys.has_value() && SortRows::CanSortByDigits(rewriter.function(), *keys)) {
      const int64_t share = CeilDivide(CeilDivide(elements, units_), ir::kDigitSortTile);
      const int64_t most = CeilDivide(length, ir::kDigitSortTile);
      rows.SortByDigits(*keys, std::min(share, most) * ir::kDigitSortTile);
      return true;
    }
    if (!uses_thread_blocks() && rows.rows() >= units_) return false;
    // If the comparator were no order, threads would split runs inconsistently and lose elements.
    if (keys.has_value()) OrderNan(rewriter, *keys, op.regions[0]);
    rows.SortPayloadsIndirectly();
    int64_t run = std::clamp(PowerOfTwo(CeilDivide(elements, units_)), kMinRun, kMaxRun);
    int64_t piece = run;
    if (uses_thread_blocks()) {
      run = std::min(ThreadBlockRun(rows), PowerOfTwo(length));
      if (run < 2) return false;
      piece = kThreadBlockPiece;
    }
    rows.SortRuns(run, piece, run);
    if (uses_thread_blocks()) {
      piece = std::max(kLongPiece, PowerOfTwo(CeilDivide(elements, units_ * threads_per_unit_)));
    }
    for (; run < length; run *= 2) rows.MergeRuns(run, std::min(piece, 2 * run));
    return true;
  }

  // Emits the ops of a partial sort. Returns false if it is to stay.
  bool Select(int64_t limit, SortRows& rows) const {
    if (limit < 1) return false;
    if (uses_thread_blocks()) {
      const int64_t most = ThreadBlockRun(rows);
      if (rows.rows() >= kManyRows || rows.length() <= kTinyRow || most < 2 * limit) return false;
      do {
        rows.SortRuns(std::min(most, PowerOfTwo(rows.length())), kThreadBlockPiece, limit);
      } while (rows.length() > limit);
      return true;
    }
    if (rows.rows() * rows.length() < kMinElements || rows.rows() >= units_ / 2) return false;
    const int64_t block = std::max(
        {CeilDivide(rows.length(), units_ / rows.rows()), kMinBlock, limit * kMinBlockRatio});
    if (rows.length() < 2 * block) return false;
    rows.SelectFromBlocks(block, limit);
    rows.SelectFirst(limit);
    return true;
  }

  const int64_t units_, threads_per_unit_;
};

}  // namespace

absl::StatusOr<ir::Module> SplitSorts(const ir::Module& module, const codegen::Target& target) {
  const Splitter splitter(target);
  return RewriteEach(
      module, [&splitter](Rewriter& rewriter, ir::Op& op) { return splitter.Visit(rewriter, op); });
}

}  // namespace acceld::compiler
