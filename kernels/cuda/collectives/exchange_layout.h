#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/ir/collective.h"

// How the members of a group exchange the operands of a collective as contiguous blocks of bytes,
// and which scratch memory that takes. Pure functions of the collective and the size of the group.
namespace acceld::kernels::cuda {

// Swaps the two outer dimensions of an array of rows: [outer][parts] becomes [parts][outer], or the
// reverse.
struct RowSwap {
  int64_t outer = 1, parts = 1, row_bytes = 0;
  bool IsIdentity() const { return outer == 1 || parts == 1; }
};

// The exchange of one operand, or of a range of its elements. Offsets and sizes are in bytes. The
// source is the operand; if `send_offset` is not negative, `pack` first makes the source at that
// offset of the scratch memory. The target is the result; if `receive_offset` is not negative, it
// is at that offset of the scratch memory.
struct ExchangeItem {
  size_t operand = 0;
  int64_t send_offset = -1, receive_offset = -1;
  RowSwap pack;
  // What member j gets begins at from_begin + j * from_stride of the source and has `bytes` bytes,
  // but ends at from_end (BytesTo).
  int64_t from_begin = 0, from_stride = 0, from_end = 0, bytes = 0;
  // What comes from member i goes to i * to_stride of the target.
  int64_t to_stride = 0;
  // Of kAllGather and kAllToAll: makes the result from the target, if that is scratch memory.
  RowSwap unpack;
  // Of reductions, whose target is always scratch memory: the combined bytes of member m go to
  // combined_begin + m * combined_stride of the result. If `is_shared`, each member sends them to
  // the others.
  int64_t combined_begin = 0, combined_stride = 0;
  bool is_shared = false;

  // The number of bytes that each other member sends to member `member`; 0 or more.
  int64_t BytesTo(int64_t member) const;
};

// Items that are exchanged together: packed, then sent, then received and unpacked or combined.
struct ExchangeBatch {
  std::vector<ExchangeItem> items;
  int64_t scratch_bytes = 0;
};

// The sizes by which exchanges are divided.
struct ExchangeSizes {
  // Reductions are divided so that a batch needs at most about this much scratch memory.
  int64_t batch_bytes = int64_t{32} << 20;
  // If all operands of a sum together have at most this size, each member gets all of them and
  // combines them itself, which takes one exchange instead of two.
  int64_t small_reduction_bytes = int64_t{1} << 20;
};

// Returns the batches of a collective for a group of `members` members, at least 1. The collective
// must be well-formed (CheckCollective). Operands without elements have no items.
std::vector<ExchangeBatch> ExchangeBatchesOf(const Collective& collective, int64_t members,
                                             const ExchangeSizes& sizes = {});

}  // namespace acceld::kernels::cuda
