#include "common/ir/types/literal_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/ir/types/float_formats.h"

namespace acceld::ir {
namespace {

// Above this many elements a literal prints as hexadecimal bytes.
constexpr int64_t kMaxListedElements = 64;

std::string HexOf(DType dtype, uint64_t bits) {
  return absl::StrFormat("0x%0*X", BitsOf(dtype) / 4, bits);
}

uint64_t BitsAt(DType dtype, const char* data, int64_t index) {
  uint64_t bits = 0;
  const int64_t size = StorageBytesOf(dtype);
  std::memcpy(&bits, data + index * size, size);
  return bits;
}

// A NaN is printed as its bits, which keeps its payload.
std::string FloatAt(DType dtype, const char* data, int64_t index) {
  const uint64_t bits = BitsAt(dtype, data, index);
  const double value = DecodeFloat(dtype, bits);
  return std::isfinite(value) ? FloatToText(dtype, value) : HexOf(dtype, bits);
}

std::string ElementAt(DType dtype, const char* data, int64_t index) {
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
      return ReadInt(dtype, data, index) != 0 ? "true" : "false";
    case DTypeClass::kSigned:
      return absl::StrCat(ReadInt(dtype, data, index));
    case DTypeClass::kUnsigned:
      return absl::StrCat(static_cast<uint64_t>(ReadInt(dtype, data, index)));
    case DTypeClass::kFloat:
      return FloatAt(dtype, data, index);
    case DTypeClass::kComplex: {
      const DType part = RealPartOf(dtype);
      return absl::StrCat("(", FloatAt(part, data, 2 * index), ",",
                          FloatAt(part, data, 2 * index + 1), ")");
    }
  }
  return "";
}

// Recurses as deep as the rank, which limits::kMaxRank bounds.
void AppendNested(const TensorType& type, const char* data, int64_t dim, int64_t& next,
                  std::string& out) {
  if (dim == type.rank()) {
    out += ElementAt(type.dtype, data, next++);
    return;
  }
  out += '[';
  for (int64_t i = 0; i < type.dims[dim]; ++i) {
    if (i > 0) out += ", ";
    AppendNested(type, data, dim + 1, next, out);
  }
  out += ']';
}

}  // namespace

std::string ToString(const Literal& literal) {
  const TensorType& type = literal.type();
  std::string out = "dense<";
  if (literal.is_splat()) {
    out += ElementAt(type.dtype, literal.bytes().data(), 0);
  } else if (type.num_elements() > kMaxListedElements) {
    absl::StrAppend(&out, "\"0x", absl::AsciiStrToUpper(absl::BytesToHexString(literal.bytes())),
                    "\"");
  } else if (type.num_elements() > 0) {
    int64_t next = 0;
    AppendNested(type, literal.bytes().data(), 0, next, out);
  }
  absl::StrAppend(&out, "> : ", type.ToString());
  return out;
}

std::string FloatToText(DType dtype, double value) {
  if (!std::isfinite(value)) return HexOf(dtype, EncodeFloat(dtype, value));
  char buffer[40];
  // The narrow formats are subsets of f32, so that its shortest form identifies their values too.
  const std::to_chars_result end =
      dtype == DType::kF64
          ? std::to_chars(buffer, buffer + sizeof(buffer), value)
          : std::to_chars(buffer, buffer + sizeof(buffer), static_cast<float>(value));
  std::string text(buffer, end.ptr);
  const size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) {
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  return text;
}

std::string QuoteText(absl::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
      out += c;
    } else {
      absl::StrAppendFormat(&out, "\\%02X", static_cast<unsigned char>(c));
    }
  }
  out += '"';
  return out;
}

}  // namespace acceld::ir
