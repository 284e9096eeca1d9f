#include "common/ir/text/elements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/types/float_formats.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::text {
namespace {

bool ParseMagnitude(absl::string_view digits, uint64_t& value) {
  int base = 10;
  if (absl::StartsWith(digits, "0x")) {
    digits.remove_prefix(2);
    base = 16;
  }
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  return error == std::errc() && stop == end;
}

// Parses a decimal number with one rounding. A number that is too large is an error; one that is
// too small is zero.
template <typename T>
bool ParseDecimal(absl::string_view digits, T& value) {
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc()) return stop == end;
  if (error != std::errc::result_out_of_range) return false;
  value = static_cast<T>(std::strtold(std::string(digits).c_str(), nullptr));
  return std::isfinite(value);
}

// Reads nested lists, which must have the shape of a type.
class ListReader {
 public:
  ListReader(Reader& reader, const TensorType& type, std::string& bytes)
      : reader_(reader), type_(type), bytes_(bytes) {}

  // Recurses as deep as the rank of the type.
  absl::Status Read(size_t dimension) {
    if (dimension == type_.dims.size()) return ReadElement(reader_, type_.dtype, bytes_);
    Lexer& lexer = reader_.lexer;
    const size_t begin = lexer.Peek().offset;
    if (!lexer.TryPunctuation('[')) {
      return lexer.Expected(
          absl::StrCat("'[' to start dimension ", dimension, " of ", type_.ToString()));
    }
    const int64_t size = type_.dims[dimension];
    int64_t count = 0;
    while (!lexer.Peek().Is(']')) {
      if (count > 0) ACCELD_RETURN_IF_ERROR(lexer.Expect(','));
      if (count == size) break;
      ACCELD_RETURN_IF_ERROR(Read(dimension + 1));
      ++count;
    }
    if (count != size || !lexer.Peek().Is(']')) {
      return lexer.Error(begin, absl::StrCat("expected ", size, " elements in dimension ",
                                             dimension, " of ", type_.ToString(), ", found ",
                                             count < size ? absl::StrCat(count) : "more"));
    }
    lexer.Next();
    return absl::OkStatus();
  }

 private:
  Reader& reader_;
  const TensorType& type_;
  std::string& bytes_;
};

}  // namespace

absl::StatusOr<int64_t> ReadIntegerValue(Reader& reader, DType dtype) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  if (lexer.Peek().IsWord("true") || lexer.Peek().IsWord("false")) {
    if (dtype != DType::kI1)
      return lexer.Expected(absl::StrCat("a value of type ", DTypeName(dtype)));
    return lexer.Next().text == "true" ? 1 : 0;
  }
  const bool negative = lexer.TryPunctuation('-');
  if (lexer.Peek().kind != TokenKind::kInteger) {
    return lexer.Expected(absl::StrCat("an integer of type ", DTypeName(dtype)));
  }
  const Token digits = lexer.Next();
  const int bits = BitsOf(dtype);
  uint64_t magnitude = 0;
  bool fits = ParseMagnitude(digits.text, magnitude);
  if (negative) {
    fits = fits && (IsUnsigned(dtype) ? magnitude == 0 : magnitude <= uint64_t{1} << (bits - 1));
  } else {
    fits = fits && (bits == 64 || magnitude < uint64_t{1} << bits);
  }
  if (!fits) {
    return lexer.Error(begin,
                       absl::StrCat("expected a value that ", DTypeName(dtype), " can hold, found ",
                                    negative ? "-" : "", digits.text.substr(0, 40)));
  }
  if (dtype == DType::kI1) return static_cast<int64_t>(magnitude);
  return static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude);
}

absl::StatusOr<double> ReadFloatValue(Reader& reader, DType dtype) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  const bool negative = lexer.TryPunctuation('-');
  const Token digits = lexer.Peek();
  if (digits.kind == TokenKind::kInteger && absl::StartsWith(digits.text, "0x") && !negative) {
    uint64_t pattern = 0;
    if (!ParseMagnitude(digits.text, pattern) ||
        (BitsOf(dtype) < 64 && pattern >= uint64_t{1} << BitsOf(dtype))) {
      return lexer.Error(begin,
                         absl::StrCat("expected the ", BitsOf(dtype), " bits of a value of type ",
                                      DTypeName(dtype), ", found ", digits.text.substr(0, 40)));
    }
    lexer.Next();
    return DecodeFloat(dtype, pattern);
  }
  if (digits.kind != TokenKind::kFloat) {
    return lexer.Expected(
        absl::StrCat("a number with a '.' or a bit pattern of type ", DTypeName(dtype)));
  }
  lexer.Next();
  double value = 0;
  bool finite;
  if (dtype == DType::kF32) {
    float narrow = 0;
    finite = ParseDecimal(digits.text, narrow);
    value = narrow;
  } else {
    finite = ParseDecimal(digits.text, value);
    if (finite && dtype != DType::kF64) value = RoundToFormat(dtype, value);
    finite = finite && std::isfinite(value);
  }
  if (!finite) {
    return lexer.Error(begin, absl::StrCat("expected a finite value of type ", DTypeName(dtype),
                                           ", found ", digits.text.substr(0, 40)));
  }
  return negative ? -value : value;
}

absl::Status ReadElement(Reader& reader, DType dtype, std::string& bytes) {
  const size_t old_size = bytes.size();
  const auto grow = [&]() {
    bytes.resize(old_size + static_cast<size_t>(StorageBytesOf(dtype)));
    return bytes.data() + old_size;
  };
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned: {
      ACCELD_ASSIGN_OR_RETURN(const int64_t value, ReadIntegerValue(reader, dtype));
      WriteInt(dtype, grow(), 0, value);
      return absl::OkStatus();
    }
    case DTypeClass::kFloat: {
      // A bit pattern is copied, since decoding a NaN could lose its payload.
      const Token token = reader.lexer.Peek();
      ACCELD_ASSIGN_OR_RETURN(const double value, ReadFloatValue(reader, dtype));
      uint64_t pattern = 0;
      if (token.kind == TokenKind::kInteger && ParseMagnitude(token.text, pattern)) {
        std::memcpy(grow(), &pattern, static_cast<size_t>(StorageBytesOf(dtype)));
      } else {
        WriteFloat(dtype, grow(), 0, value);
      }
      return absl::OkStatus();
    }
    case DTypeClass::kComplex: {
      const DType part = RealPartOf(dtype);
      if (!reader.lexer.TryPunctuation('(')) {
        return reader.lexer.Expected("'(' to start a complex number");
      }
      ACCELD_RETURN_IF_ERROR(ReadElement(reader, part, bytes));
      ACCELD_RETURN_IF_ERROR(reader.lexer.Expect(','));
      ACCELD_RETURN_IF_ERROR(ReadElement(reader, part, bytes));
      return reader.lexer.Expect(')');
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> ReadDense(Reader& reader, bool allow_index) {
  Lexer& lexer = reader.lexer;
  if (!lexer.Peek().Is('<')) return lexer.Expected("'<' after 'dense'");
  lexer.Next();

  // The type, which is needed to read the elements, is behind them: read it first.
  const Token first = lexer.Peek();
  size_t end = first.offset;
  if (first.kind == TokenKind::kString) {
    end += first.text.size();
  } else {
    end = lexer.source().find('>', end);
    if (end == absl::string_view::npos) {
      lexer.Seek(lexer.source().size());
      return lexer.Expected("'>' to end a dense constant");
    }
  }
  lexer.Seek(end);
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  if (!lexer.Peek().Is(':')) return lexer.Expected("':' before the type of a dense constant");
  lexer.Next();
  const size_t type_offset = lexer.Peek().offset;
  ACCELD_ASSIGN_OR_RETURN(TensorType type, ReadTensorType(reader, allow_index));
  const size_t after = lexer.Peek().offset;
  if (!type.IsStatic()) {
    return lexer.Error(type_offset,
                       absl::StrCat("a constant needs a static type, found ", type.ToString()));
  }

  std::string bytes;
  if (first.kind == TokenKind::kString) {
    ACCELD_ASSIGN_OR_RETURN(bytes, DecodeHex(reader, first, type));
  } else {
    lexer.Seek(first.offset);
    if (lexer.Peek().Is('[') && type.rank() > 0) {
      // Each element takes at least two characters, so the text bounds the memory that is reserved.
      const int64_t most =
          (static_cast<int64_t>(end - first.offset) / 2 + 1) * StorageBytesOf(type.dtype);
      bytes.reserve(static_cast<size_t>(std::min(type.size_bytes(), most)));
      ACCELD_RETURN_IF_ERROR(ListReader(reader, type, bytes).Read(0));
    } else if (lexer.Peek().Is('>')) {
      if (type.num_elements() != 0) {
        return lexer.Error(first.offset, absl::StrCat("expected the elements of ", type.ToString(),
                                                      ", found none"));
      }
    } else {
      ACCELD_RETURN_IF_ERROR(ReadElement(reader, type.dtype, bytes));
      if (type.num_elements() == 0) bytes.clear();
    }
    if (lexer.Peek().offset != end) return lexer.Expected("'>' to end a dense constant");
  }
  lexer.Seek(after);

  ACCELD_RETURN_IF_ERROR(
      reader.Charge(static_cast<int64_t>(bytes.size()), "a constant", first.offset));
  reader.totals.constant_bytes += static_cast<int64_t>(bytes.size());
  if (reader.totals.constant_bytes > limits::kMaxProgramBytes) {
    return lexer.At(first.offset, absl::ResourceExhaustedError(
                                      absl::StrCat("the program's constants take more than ",
                                                   limits::kMaxProgramBytes, " bytes")));
  }
  auto literal = Literal::FromBytes(std::move(type), std::move(bytes));
  if (!literal.ok()) return lexer.At(first.offset, literal.status());
  return literal;
}

}  // namespace acceld::ir::text
