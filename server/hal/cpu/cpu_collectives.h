#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/ir/collective.h"
#include "server/hal/cpu/block_combiner.h"

// What a collective computes, on buffers in host memory. Source of the meaning of each collective:
// StableHLO specification, the sections of these ops.
namespace acceld::hal::cpu {

// The addresses that a participant brings to a collective, in the order of the collective. The
// arrays and the buffers belong to the participant's run.
struct MemberBuffers {
  const void* const* operands = nullptr;
  void* const* results = nullptr;
};

// Sets the results of a participant without a source.
void ClearResults(const kernels::Collective& collective, void* const* results);

// The bytes of the operands of one participant.
int64_t OperandBytesOf(const kernels::Collective& collective);

// The work of a collective for one group, divided into pieces of some tens of kilobytes, which may
// be done at the same time and in any order. The results do not depend on who does which piece.
// Elements are combined in the order of the members, once for all of them, so all members get equal
// bits. Immutable and thread-safe.
class CollectiveWork {
 public:
  // The collective must be well-formed (kernels::CheckCollective). `members` has the buffers of the
  // members of the group in their order; it must outlive this object, and the buffers the calls of
  // Run.
  CollectiveWork(const kernels::Collective& collective, absl::Span<const MemberBuffers> members);

  int64_t num_pieces() const { return num_pieces_; }
  // An estimate of the bytes that all pieces together read and write.
  int64_t num_bytes() const { return num_bytes_; }
  // Does one piece.
  void Run(int64_t piece) const;

 private:
  // The bytes of an operand that one member gets from another, and where they go in the result:
  // rows at regular distances, within bands of rows at regular distances. All in bytes.
  struct Rows {
    int64_t row_bytes = 0;
    int64_t rows_per_band = 1, num_bands = 1;
    int64_t from_row = 0, from_band = 0;  // distances in the operand
    int64_t to_row = 0, to_band = 0;      // distances in the result
    // What goes from member i to member j begins at j * from_part and i * to_part.
    int64_t from_part = 0, to_part = 0;
  };
  // The part of the rows that one piece handles: bytes begin_byte to begin_byte + num_bytes of each
  // of some rows. All bytes of the rows, if there are several.
  struct Range {
    int64_t first_row, num_rows, begin_byte, num_bytes;
  };
  // An operand with its result. Its pieces belong to transfers, which have the same number of
  // pieces: one for each pair of members, or fewer if what they get or send is the same for all.
  struct Operand {
    Rows rows;
    BlockCombiner combiner;  // of reductions
    int64_t first_piece = 0, pieces_per_transfer = 0;
  };
  // The members whose results a piece writes.
  struct Targets {
    size_t begin, end;
  };

  static Rows RowsOf(const kernels::Collective& collective, const ir::TensorType& operand,
                     const ir::TensorType& result, int64_t num_members);
  static int64_t NumPieces(const Rows& rows);
  static Range RangeOf(const Rows& rows, int64_t piece);
  int64_t NumTransfers() const;
  Targets TargetsOf(int64_t transfer) const;
  const char* OperandOf(size_t member, size_t k) const {
    return static_cast<const char*>(members_[member].operands[k]);
  }
  char* ResultOf(size_t member, size_t k) const {
    return static_cast<char*>(members_[member].results[k]);
  }
  // Copies a range of operand k of member `from` to a target.
  void Copy(size_t k, const Range& range, size_t from, size_t to) const;
  // Combines a range of operand k of all members.
  void Reduce(size_t k, const Range& range, Targets targets) const;
  // Combines bytes that are adjacent in operands and results.
  void ReduceAdjacent(size_t k, int64_t from, int64_t at, int64_t num_bytes, Targets targets) const;
  // Combines rows that are shorter than a block.
  void ReduceShortRows(size_t k, int64_t from, int64_t at, int64_t num_rows, Targets targets) const;
  // Scales `count` elements of the accumulator and writes them at byte `at` of the first target's
  // result.
  void StoreFirst(size_t k, BlockCombiner::Accumulator& accumulator, int64_t count, int64_t at,
                  Targets targets) const;
  // Copies what StoreFirst has written to the results of the other targets.
  void CopyToOthers(size_t k, int64_t at, int64_t num_bytes, Targets targets) const;

  const kernels::Collective::Kind kind_;
  const absl::optional<double> factor_;
  const absl::Span<const MemberBuffers> members_;
  absl::InlinedVector<Operand, 2> operands_;
  int64_t num_pieces_ = 0, num_bytes_ = 0;
};

}  // namespace acceld::hal::cpu
