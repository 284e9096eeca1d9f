#include "common/ir/bytecode/cursor.h"

#include "absl/strings/str_cat.h"

namespace acceld::ir::bytecode {
namespace {

constexpr char kPadding = '\xCB';

uint64_t LittleEndian(absl::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace

absl::Status Cursor::ErrorAt(size_t offset, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("byte ", offset, ": ", message));
}

absl::Status Cursor::ExpectEnd(absl::string_view what) const {
  if (AtEnd()) return absl::OkStatus();
  return Error(absl::StrCat(what, " has ", remaining(), " bytes too many"));
}

absl::StatusOr<absl::string_view> Cursor::Bytes(uint64_t size) {
  if (size > remaining()) {
    return Error(absl::StrCat("expected ", size, " bytes, ", remaining(), " remain"));
  }
  const absl::string_view bytes = file_.substr(offset_, size);
  offset_ += size;
  return bytes;
}

absl::StatusOr<uint8_t> Cursor::Byte() {
  if (AtEnd()) return Error("expected a byte, none remains");
  return static_cast<uint8_t>(file_[offset_++]);
}

// The number of trailing zeros of the first byte is the number of bytes that follow; the value is
// above the lowest set bit.
absl::StatusOr<uint64_t> Cursor::Varint() {
  if (AtEnd()) return Error("expected a number, no byte remains");
  const auto first = static_cast<uint8_t>(file_[offset_]);
  if ((first & 1) != 0) {
    ++offset_;
    return uint64_t{first} >> 1;
  }
  if (first == 0) {
    if (remaining() < 9) return Error("a number of 9 bytes is cut off");
    ++offset_;
    ACCELD_ASSIGN_OR_RETURN(const absl::string_view bytes, Bytes(8));
    return LittleEndian(bytes);
  }
  const int size = __builtin_ctz(first) + 1;
  if (remaining() < static_cast<size_t>(size)) return Error("a number is cut off");
  ACCELD_ASSIGN_OR_RETURN(const absl::string_view bytes, Bytes(size));
  return LittleEndian(bytes) >> size;
}

absl::StatusOr<int64_t> Cursor::SignedVarint() {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t value, Varint());
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

absl::StatusOr<std::pair<uint64_t, bool>> Cursor::VarintWithFlag() {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t value, Varint());
  return std::pair(value >> 1, (value & 1) != 0);
}

absl::StatusOr<uint64_t> Cursor::Index(size_t bound, absl::string_view what) {
  const size_t begin = offset_;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, Varint());
  if (index >= bound) {
    return ErrorAt(begin, absl::StrCat("there is no ", what, " ", index, ", only ", bound));
  }
  return index;
}

absl::StatusOr<uint64_t> Cursor::Count(absl::string_view what) {
  const size_t begin = offset_;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, Varint());
  if (count > remaining()) {
    return ErrorAt(begin,
                   absl::StrCat("expected ", count, " ", what, ", ", remaining(), " bytes remain"));
  }
  return count;
}

absl::StatusOr<absl::string_view> Cursor::NulTerminated() {
  const absl::string_view rest = file_.substr(offset_, remaining());
  const size_t size = rest.find('\0');
  if (size == absl::string_view::npos) return Error("a string does not end");
  offset_ += size + 1;
  return rest.substr(0, size);
}

absl::StatusOr<absl::string_view> Cursor::Blob() {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t size, Varint());
  return Bytes(size);
}

absl::Status Cursor::Align(uint64_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return Error(absl::StrCat("an alignment of ", alignment, " is no power of two"));
  }
  while (offset_ % alignment != 0) {
    if (AtEnd() || file_[offset_] != kPadding) return Error("expected padding");
    ++offset_;
  }
  return absl::OkStatus();
}

absl::StatusOr<Cursor> Cursor::Part(uint64_t size) {
  Cursor part = *this;
  ACCELD_RETURN_IF_ERROR(Bytes(size).status());
  part.end_ = offset_;
  return part;
}

absl::StatusOr<Section> Cursor::ReadSection() {
  Section section;
  ACCELD_ASSIGN_OR_RETURN(const uint8_t id_and_flag, Byte());
  section.id = id_and_flag & 0x7F;
  ACCELD_ASSIGN_OR_RETURN(const uint64_t size, Varint());
  if ((id_and_flag & 0x80) != 0) {
    ACCELD_ASSIGN_OR_RETURN(const uint64_t alignment, Varint());
    ACCELD_RETURN_IF_ERROR(Align(alignment));
  }
  ACCELD_ASSIGN_OR_RETURN(section.data, Part(size));
  return section;
}

}  // namespace acceld::ir::bytecode
