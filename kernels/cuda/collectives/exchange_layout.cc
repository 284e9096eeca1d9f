#include "kernels/cuda/collectives/exchange_layout.h"

#include <algorithm>
#include <utility>

#include "common/ceil_divide.h"

namespace acceld::kernels::cuda {
namespace {

using Kind = Collective::Kind;

// Blocks of scratch memory, and of combined elements, are aligned for the widest loads.
constexpr int64_t kScratchAlignment = 256, kVectorBytes = 16;
// An operand is divided into at most about this many ranges.
constexpr int64_t kMaxRanges = 1024;

// Returns the product of dimensions before `end`.
int64_t OuterOf(const ir::Dims& dims, int64_t end) {
  int64_t product = 1;
  for (int64_t d = 0; d < end; ++d) product *= dims[static_cast<size_t>(d)];
  return product;
}

// Divides a collective into batches.
class Divider {
 public:
  Divider(const Collective& collective, int64_t members, const ExchangeSizes& sizes)
      : collective_(collective), members_(members), sizes_(sizes) {}

  std::vector<ExchangeBatch> Divide() && {
    for (size_t k = 0; k < collective_.operands.size(); ++k) {
      if (collective_.operands[k].num_elements() > 0) Add(k);
    }
    Close();
    return std::move(batches_);
  }

 private:
  void Add(size_t k) {
    const ir::TensorType& operand = collective_.operands[k];
    const ir::TensorType& result = collective_.results[k];
    const int64_t bytes = operand.size_bytes();
    ExchangeItem item{.operand = k};
    switch (collective_.kind) {
      case Kind::kBroadcast:
      case Kind::kPermute:
        item.bytes = item.from_end = bytes;
        return Append(item, {});
      case Kind::kAllGather: {
        const int64_t outer = OuterOf(operand.dims, collective_.dimension);
        item.bytes = item.from_end = item.to_stride = bytes;
        item.unpack = {.outer = outer, .parts = members_, .row_bytes = bytes / outer};
        return Append(item, {.receive = item.unpack.IsIdentity() ? 0 : bytes * members_});
      }
      case Kind::kAllToAll: {
        const int64_t part = bytes / members_;
        const int64_t outer = OuterOf(operand.dims, collective_.dimension);
        item.pack = {.outer = outer, .parts = members_, .row_bytes = part / outer};
        // The dimensions of a part are those of the result, before the concatenated one.
        const int64_t outer_of_part = OuterOf(result.dims, collective_.concat_dimension);
        item.unpack = {
            .outer = outer_of_part, .parts = members_, .row_bytes = part / outer_of_part};
        item.bytes = item.from_stride = item.to_stride = part;
        item.from_end = bytes;
        return Append(item, {.send = item.pack.IsIdentity() ? 0 : bytes,
                             .receive = item.unpack.IsIdentity() ? 0 : bytes});
      }
      case Kind::kReduceScatter:
        return AddReduceScatter(item, result);
      case Kind::kAllReduce:
        return AddAllReduce(item, operand);
    }
  }

  void AddReduceScatter(ExchangeItem item, const ir::TensorType& result) {
    const int64_t part = result.size_bytes();
    const int64_t outer = OuterOf(result.dims, collective_.dimension);
    item.pack = {.outer = outer, .parts = members_, .row_bytes = part / outer};
    item.from_stride = part;
    item.from_end = part * members_;
    if (!item.pack.IsIdentity()) {
      item.bytes = part;
      item.to_stride = RoundUp(part, kScratchAlignment);
      return Append(item, {.send = item.from_end, .receive = item.to_stride * members_});
    }
    const int64_t most =
        RangeBytes(result.dtype, std::max(sizes_.batch_bytes / members_, part / kMaxRanges));
    for (int64_t begin = 0; begin < part; begin += most) {
      item.from_begin = item.combined_begin = begin;
      item.bytes = std::min(most, part - begin);
      item.to_stride = RoundUp(item.bytes, kScratchAlignment);
      Append(item, {.receive = item.to_stride * members_});
    }
  }

  void AddAllReduce(ExchangeItem item, const ir::TensorType& operand) {
    const int64_t bytes = operand.size_bytes();
    if (members_ == 1 || IsSmall()) {
      item.bytes = item.from_end = item.to_stride = bytes;
      return Append(item, {.receive = item.to_stride * members_});
    }
    const int64_t most =
        RangeBytes(operand.dtype, std::max(sizes_.batch_bytes, bytes / kMaxRanges));
    item.is_shared = true;
    for (int64_t begin = 0; begin < bytes; begin += most) {
      item.from_begin = item.combined_begin = begin;
      item.from_end = std::min(bytes, begin + most);
      item.bytes = RangeBytes(operand.dtype, CeilDivide(item.from_end - begin, members_));
      item.from_stride = item.combined_stride = item.bytes;
      item.to_stride = RoundUp(item.bytes, kScratchAlignment);
      Append(item, {.receive = item.to_stride * members_});
    }
  }

  bool IsSmall() const {
    int64_t bytes = 0;
    for (const ir::TensorType& operand : collective_.operands) bytes += operand.size_bytes();
    return bytes <= sizes_.small_reduction_bytes / members_;
  }

  // At least `bytes`, and a multiple of elements and of what one thread combines at a time.
  static int64_t RangeBytes(ir::DType dtype, int64_t bytes) {
    const int64_t unit = std::max(kVectorBytes, ir::StorageBytesOf(dtype));
    return RoundUp(std::max<int64_t>(bytes, 1), unit);
  }

  // The scratch memory of an item; 0: it needs none.
  struct Scratch {
    int64_t send = 0, receive = 0;
  };

  void Append(ExchangeItem item, const Scratch& scratch) {
    const int64_t bytes =
        RoundUp(scratch.send, kScratchAlignment) + RoundUp(scratch.receive, kScratchAlignment);
    if (batch_.scratch_bytes + bytes > sizes_.batch_bytes) Close();
    if (scratch.send > 0) item.send_offset = Take(scratch.send);
    if (scratch.receive > 0) item.receive_offset = Take(scratch.receive);
    batch_.items.push_back(item);
  }

  int64_t Take(int64_t bytes) {
    return std::exchange(batch_.scratch_bytes,
                         batch_.scratch_bytes + RoundUp(bytes, kScratchAlignment));
  }

  void Close() {
    if (!batch_.items.empty()) batches_.push_back(std::exchange(batch_, {}));
  }

  const Collective& collective_;
  const int64_t members_;
  const ExchangeSizes& sizes_;
  ExchangeBatch batch_;
  std::vector<ExchangeBatch> batches_;
};

}  // namespace

int64_t ExchangeItem::BytesTo(int64_t member) const {
  return std::clamp<int64_t>(from_end - from_begin - member * from_stride, 0, bytes);
}

std::vector<ExchangeBatch> ExchangeBatchesOf(const Collective& collective, int64_t members,
                                             const ExchangeSizes& sizes) {
  return Divider(collective, members, sizes).Divide();
}

}  // namespace acceld::kernels::cuda
