#pragma once

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::ir::bytecode {

struct Section;

// Reads the primitives of MLIR bytecode from a part of a file; never beyond that part. Errors are
// INVALID_ARGUMENT and name the place in the whole file. A plain value: copies read on their own.
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(absl::string_view file) : file_(file), end_(file.size()) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return end_ - offset_; }
  bool AtEnd() const { return offset_ == end_; }

  absl::StatusOr<uint8_t> Byte();
  absl::StatusOr<uint64_t> Varint();
  // A varint in zigzag form.
  absl::StatusOr<int64_t> SignedVarint();
  // A varint whose lowest bit is a flag.
  absl::StatusOr<std::pair<uint64_t, bool>> VarintWithFlag();
  // A varint below `bound`: the place of something in a list. `what` names it in messages.
  absl::StatusOr<uint64_t> Index(size_t bound, absl::string_view what);
  // A varint that counts things of at least one byte each, so that it can't exceed what remains.
  absl::StatusOr<uint64_t> Count(absl::string_view what);
  absl::StatusOr<absl::string_view> Bytes(uint64_t size);
  // Up to a NUL, which is consumed and not returned.
  absl::StatusOr<absl::string_view> NulTerminated();
  // A varint and as many bytes.
  absl::StatusOr<absl::string_view> Blob();
  // Skips padding bytes up to the next multiple of `alignment` in the file.
  absl::Status Align(uint64_t alignment);
  absl::StatusOr<Section> ReadSection();
  // The next `size` bytes as a part of their own, which are skipped here.
  absl::StatusOr<Cursor> Part(uint64_t size);

  // "byte 12: message".
  absl::Status Error(absl::string_view message) const { return ErrorAt(offset_, message); }
  static absl::Status ErrorAt(size_t offset, absl::string_view message);
  // OK when everything was read.
  absl::Status ExpectEnd(absl::string_view what) const;

 private:
  absl::string_view file_;
  size_t offset_ = 0;
  size_t end_ = 0;
};

struct Section {
  uint8_t id = 0;
  Cursor data;
};

}  // namespace acceld::ir::bytecode
