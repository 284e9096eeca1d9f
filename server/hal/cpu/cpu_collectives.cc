#include "server/hal/cpu/cpu_collectives.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "common/ir/types/element.h"
#include "common/memory/streaming_copy.h"

namespace acceld::hal::cpu {
namespace {

using kernels::Collective;
using Kind = Collective::Kind;

// Large enough that taking a piece costs nothing in comparison, and small enough for a core's
// cache: what one member sends is read once from memory, and written to several.
constexpr int64_t kPieceBytes = int64_t{64} << 10;
// Of the results of a collective that reads and writes this much little is left in the caches of
// the cores when it ends.
constexpr int64_t kManyBytes = int64_t{8} << 20;
// Rows of this size are combined one by one; shorter ones are first put together.
constexpr int64_t kLongRowBytes = 1024;

bool IsReduction(Kind kind) { return kind == Kind::kAllReduce || kind == Kind::kReduceScatter; }

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Returns the product of dimensions `begin` to `end`.
int64_t Product(const ir::Dims& dims, int64_t begin, int64_t end) {
  int64_t product = 1;
  for (int64_t d = begin; d < end; ++d) product *= dims[static_cast<size_t>(d)];
  return product;
}

// Copies `num_rows` rows of `row_bytes` bytes each.
void CopyRows(const char* from, int64_t from_row, char* to, int64_t to_row, int64_t row_bytes,
              int64_t num_rows) {
  if (from_row == row_bytes && to_row == row_bytes) {
    std::memcpy(to, from, static_cast<size_t>(row_bytes * num_rows));
    return;
  }
  const auto copy = [&](auto size) {
    for (int64_t i = 0; i < num_rows; ++i) {
      std::memcpy(to + i * to_row, from + i * from_row, static_cast<size_t>(size));
    }
  };
  // Copies of constant size are instructions and not calls.
  switch (row_bytes) {
    case 1:
      return copy(std::integral_constant<size_t, 1>());
    case 2:
      return copy(std::integral_constant<size_t, 2>());
    case 4:
      return copy(std::integral_constant<size_t, 4>());
    case 8:
      return copy(std::integral_constant<size_t, 8>());
    case 16:
      return copy(std::integral_constant<size_t, 16>());
  }
  copy(row_bytes);
}

}  // namespace

void ClearResults(const Collective& collective, void* const* results) {
  for (size_t k = 0; k < collective.results.size(); ++k) {
    const ir::TensorType& type = collective.results[k];
    if (type.num_elements() == 0) continue;
    // All types represent zero by zero bytes, except f8E8M0FNU, which has no zero.
    unsigned char zero = 0;
    if (StorageBytesOf(type.dtype) == 1) ir::StoreConverted(type.dtype, &zero, 0);
    std::memset(results[k], zero, static_cast<size_t>(type.size_bytes()));
  }
}

int64_t OperandBytesOf(const Collective& collective) {
  int64_t bytes = 0;
  for (const ir::TensorType& operand : collective.operands) bytes += operand.size_bytes();
  return bytes;
}

CollectiveWork::CollectiveWork(const Collective& collective,
                               absl::Span<const MemberBuffers> members)
    : kind_(collective.kind), factor_(collective.factor), members_(members) {
  const auto num_members = static_cast<int64_t>(members.size());
  for (size_t k = 0; k < collective.operands.size(); ++k) {
    const ir::TensorType& type = collective.operands[k];
    const ir::TensorType& result = collective.results[k];
    Operand operand{.rows = RowsOf(collective, type, result, num_members),
                    .first_piece = num_pieces_};
    if (IsReduction(kind_)) operand.combiner = BlockCombinerOf(type.dtype, collective.combiner);
    operand.pieces_per_transfer = NumPieces(operand.rows);
    num_pieces_ += operand.pieces_per_transfer * NumTransfers();
    num_bytes_ += num_members * (type.size_bytes() + result.size_bytes());
    operands_.push_back(operand);
  }
}

CollectiveWork::Rows CollectiveWork::RowsOf(const Collective& collective,
                                            const ir::TensorType& operand,
                                            const ir::TensorType& result, int64_t num_members) {
  const int64_t element = StorageBytesOf(operand.dtype);
  const int64_t rank = operand.rank();
  const int64_t d = collective.dimension;
  switch (collective.kind) {
    case Kind::kAllReduce:
    case Kind::kBroadcast:
    case Kind::kPermute:
      return {.row_bytes = operand.size_bytes()};
    case Kind::kAllGather: {
      const int64_t bytes = element * Product(operand.dims, d, rank);
      return {.row_bytes = bytes,
              .rows_per_band = Product(operand.dims, 0, d),
              .from_row = bytes,
              .to_row = bytes * num_members,
              .to_part = bytes};
    }
    case Kind::kReduceScatter: {
      const int64_t bytes = element * Product(result.dims, d, rank);
      return {.row_bytes = bytes,
              .rows_per_band = Product(result.dims, 0, d),
              .from_row = bytes * num_members,
              .to_row = bytes,
              .from_part = bytes};
    }
    case Kind::kAllToAll:
      break;
  }
  // A part is a box that is narrower than the operand along one dimension, and than the result
  // along another one. Its rows extend from the inner one of these dimensions on. From the outer
  // one to the inner one they are at regular distances, since the dimensions in between are whole.
  const int64_t c = collective.concat_dimension;
  ir::Dims part = operand.dims;
  part[static_cast<size_t>(d)] /= num_members;
  const int64_t inner = std::max(c, d);
  const int64_t outer = c == d ? 0 : std::min(c, d);
  Rows rows{.row_bytes = element * Product(part, inner, rank),
            .rows_per_band = Product(part, outer, inner),
            .num_bands = Product(part, 0, outer),
            .from_row = element * Product(operand.dims, inner, rank),
            .to_row = element * Product(result.dims, inner, rank)};
  rows.from_band = rows.from_row * Product(operand.dims, outer, inner);
  rows.to_band = rows.to_row * Product(result.dims, outer, inner);
  rows.from_part = part[static_cast<size_t>(d)] * element * Product(operand.dims, d + 1, rank);
  rows.to_part = part[static_cast<size_t>(c)] * element * Product(result.dims, c + 1, rank);
  return rows;
}

int64_t CollectiveWork::NumPieces(const Rows& rows) {
  const int64_t num_rows = rows.rows_per_band * rows.num_bands;
  if (rows.row_bytes == 0 || num_rows == 0) return 0;
  if (rows.row_bytes >= kPieceBytes) return num_rows * DivideUp(rows.row_bytes, kPieceBytes);
  return DivideUp(num_rows, kPieceBytes / rows.row_bytes);
}

CollectiveWork::Range CollectiveWork::RangeOf(const Rows& rows, int64_t piece) {
  if (rows.row_bytes >= kPieceBytes) {
    const int64_t pieces_per_row = DivideUp(rows.row_bytes, kPieceBytes);
    const int64_t begin = piece % pieces_per_row * kPieceBytes;
    return {piece / pieces_per_row, 1, begin, std::min(kPieceBytes, rows.row_bytes - begin)};
  }
  const int64_t rows_per_piece = kPieceBytes / rows.row_bytes;
  const int64_t first = piece * rows_per_piece;
  const int64_t count = std::min(rows_per_piece, rows.rows_per_band * rows.num_bands - first);
  return {first, count, 0, rows.row_bytes};
}

int64_t CollectiveWork::NumTransfers() const {
  const auto num_members = static_cast<int64_t>(members_.size());
  switch (kind_) {
    case Kind::kAllReduce:
    case Kind::kBroadcast:
    case Kind::kPermute:
      return 1;
    case Kind::kAllGather:
    case Kind::kReduceScatter:
      return num_members;
    case Kind::kAllToAll:
      return num_members * num_members;
  }
  return 0;
}

CollectiveWork::Targets CollectiveWork::TargetsOf(int64_t transfer) const {
  const size_t n = members_.size();
  const auto t = static_cast<size_t>(transfer);
  switch (kind_) {
    case Kind::kAllGather:
    case Kind::kAllReduce:
    case Kind::kBroadcast:
      return {0, n};
    case Kind::kPermute:
      return {n - 1, n};
    case Kind::kReduceScatter:
      return {t, t + 1};
    case Kind::kAllToAll:
      return {t / n, t / n + 1};
  }
  return {0, 0};
}

void CollectiveWork::Run(int64_t piece) const {
  size_t k = operands_.size() - 1;
  while (operands_[k].first_piece > piece) --k;
  const Operand& operand = operands_[k];
  const int64_t index = piece - operand.first_piece;
  const int64_t transfer = index / operand.pieces_per_transfer;
  const Range range = RangeOf(operand.rows, index % operand.pieces_per_transfer);
  const Targets targets = TargetsOf(transfer);
  if (IsReduction(kind_)) return Reduce(k, range, targets);
  const bool has_several_sources = kind_ == Kind::kAllGather || kind_ == Kind::kAllToAll;
  const size_t from = has_several_sources ? static_cast<size_t>(transfer) % members_.size() : 0;
  for (size_t to = targets.begin; to < targets.end; ++to) Copy(k, range, from, to);
}

void CollectiveWork::Copy(size_t k, const Range& range, size_t from, size_t to) const {
  const Rows& rows = operands_[k].rows;
  const char* const source =
      OperandOf(from, k) + static_cast<int64_t>(to) * rows.from_part + range.begin_byte;
  char* const target =
      ResultOf(to, k) + static_cast<int64_t>(from) * rows.to_part + range.begin_byte;
  for (int64_t row = range.first_row, end = row + range.num_rows; row < end;) {
    const int64_t band = row / rows.rows_per_band;
    const int64_t in_band = row % rows.rows_per_band;
    const int64_t count = std::min(end - row, rows.rows_per_band - in_band);
    CopyRows(source + band * rows.from_band + in_band * rows.from_row, rows.from_row,
             target + band * rows.to_band + in_band * rows.to_row, rows.to_row, range.num_bytes,
             count);
    row += count;
  }
}

void CollectiveWork::Reduce(size_t k, const Range& range, Targets targets) const {
  const Rows& rows = operands_[k].rows;
  const int64_t from = static_cast<int64_t>(targets.begin) * rows.from_part +
                       range.first_row * rows.from_row + range.begin_byte;
  const int64_t at = range.first_row * rows.row_bytes + range.begin_byte;
  if (range.num_rows == 1 || rows.from_row == rows.row_bytes) {
    return ReduceAdjacent(k, from, at, range.num_rows * range.num_bytes, targets);
  }
  if (rows.row_bytes < kLongRowBytes) {
    return ReduceShortRows(k, from, at, range.num_rows, targets);
  }
  for (int64_t i = 0; i < range.num_rows; ++i) {
    ReduceAdjacent(k, from + i * rows.from_row, at + i * rows.row_bytes, rows.row_bytes, targets);
  }
}

void CollectiveWork::ReduceAdjacent(size_t k, int64_t from, int64_t at, int64_t num_bytes,
                                    Targets targets) const {
  const BlockCombiner& combiner = operands_[k].combiner;
  const int64_t block_bytes = BlockCombiner::kMaxElements * combiner.element_bytes;
  BlockCombiner::Accumulator accumulator;
  for (int64_t offset = 0; offset < num_bytes; offset += block_bytes) {
    const int64_t count = std::min(block_bytes, num_bytes - offset) / combiner.element_bytes;
    combiner.load(OperandOf(0, k) + from + offset, count, accumulator);
    for (size_t member = 1; member < members_.size(); ++member) {
      combiner.combine(OperandOf(member, k) + from + offset, count, accumulator);
    }
    StoreFirst(k, accumulator, count, at + offset, targets);
  }
  CopyToOthers(k, at, num_bytes, targets);
}

void CollectiveWork::ReduceShortRows(size_t k, int64_t from, int64_t at, int64_t num_rows,
                                     Targets targets) const {
  const BlockCombiner& combiner = operands_[k].combiner;
  const Rows& rows = operands_[k].rows;
  const int64_t rows_per_block =
      BlockCombiner::kMaxElements * combiner.element_bytes / rows.row_bytes;
  BlockCombiner::Accumulator accumulator, elements;
  for (int64_t row = 0; row < num_rows; row += rows_per_block) {
    const int64_t count = std::min(rows_per_block, num_rows - row);
    const int64_t num_elements = count * rows.row_bytes / combiner.element_bytes;
    for (size_t member = 0; member < members_.size(); ++member) {
      CopyRows(OperandOf(member, k) + from + row * rows.from_row, rows.from_row, elements.bytes,
               rows.row_bytes, rows.row_bytes, count);
      (member == 0 ? combiner.load : combiner.combine)(elements.bytes, num_elements, accumulator);
    }
    StoreFirst(k, accumulator, num_elements, at + row * rows.row_bytes, targets);
  }
  CopyToOthers(k, at, num_rows * rows.row_bytes, targets);
}

void CollectiveWork::StoreFirst(size_t k, BlockCombiner::Accumulator& accumulator, int64_t count,
                                int64_t at, Targets targets) const {
  const BlockCombiner& combiner = operands_[k].combiner;
  if (factor_.has_value()) combiner.scale(*factor_, count, accumulator);
  combiner.store(accumulator, count, ResultOf(targets.begin, k) + at);
}

void CollectiveWork::CopyToOthers(size_t k, int64_t at, int64_t num_bytes, Targets targets) const {
  const char* const first = ResultOf(targets.begin, k) + at;
  for (size_t to = targets.begin + 1; to < targets.end; ++to) {
    char* const result = ResultOf(to, k) + at;
    if (num_bytes_ >= kManyBytes) {
      StreamingCopy(result, first, static_cast<size_t>(num_bytes));
    } else {
      std::memcpy(result, first, static_cast<size_t>(num_bytes));
    }
  }
}

}  // namespace acceld::hal::cpu
