#pragma once

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::ir::bytecode {

struct Section;

// Reads the primitive values of MLIR bytecode from a part of a file, and never beyond that part.
// Errors are INVALID_ARGUMENT and contain the offset in the file. Copies have a position of their
// own. The file's bytes must outlive the cursor.
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(absl::string_view file) : file_(file), end_(file.size()) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return end_ - offset_; }
  bool AtEnd() const { return offset_ == end_; }

  absl::StatusOr<uint8_t> Byte();
  absl::StatusOr<uint64_t> Varint();
  // Reads a varint in zigzag encoding.
  absl::StatusOr<int64_t> SignedVarint();
  // Reads a varint whose lowest bit is a flag; returns the other bits and the flag.
  absl::StatusOr<std::pair<uint64_t, bool>> VarintWithFlag();
  // Reads an index, a varint below `bound`. `what` names the indexed thing in messages.
  absl::StatusOr<uint64_t> Index(size_t bound, absl::string_view what);
  // Reads a varint that counts things which take at least one byte each, so that it cannot exceed
  // the number of remaining bytes.
  absl::StatusOr<uint64_t> Count(absl::string_view what);
  absl::StatusOr<absl::string_view> Bytes(uint64_t size);
  // Reads up to a NUL, which is consumed and not returned.
  absl::StatusOr<absl::string_view> NulTerminated();
  // Reads a varint and that many bytes; returns the bytes.
  absl::StatusOr<absl::string_view> Blob();
  // Skips padding up to the next multiple of `alignment` in the file.
  absl::Status Align(uint64_t alignment);
  absl::StatusOr<Section> ReadSection();
  // Returns a cursor over the next `size` bytes and skips them.
  absl::StatusOr<Cursor> Part(uint64_t size);

  // Returns the error "byte 12: message" for the current offset.
  absl::Status Error(absl::string_view message) const { return ErrorAt(offset_, message); }
  static absl::Status ErrorAt(size_t offset, absl::string_view message);
  // Returns OK when everything was read; `what` names the part in the message otherwise.
  absl::Status ExpectEnd(absl::string_view what) const;

 private:
  absl::string_view file_;
  size_t offset_ = 0;
  size_t end_ = 0;
};

// A section of a bytecode file.
struct Section {
  uint8_t id = 0;
  Cursor data;
};

}  // namespace acceld::ir::bytecode
