#include "client/npy.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/file.h"
#include "common/ir/verify/limits.h"

namespace acceld::client {
namespace {

using ir::DType;

constexpr absl::string_view kMagic("\x93NUMPY", 6);

struct Spelling {
  absl::string_view descr;  // Without the byte order.
  DType dtype;
};

constexpr Spelling kSpellings[] = {
    {"b1", DType::kI1},   {"i1", DType::kI8},  {"i2", DType::kI16},   {"i4", DType::kI32},
    {"i8", DType::kI64},  {"u1", DType::kUI8}, {"u2", DType::kUI16},  {"u4", DType::kUI32},
    {"u8", DType::kUI64}, {"f2", DType::kF16}, {"V2", DType::kBF16},  {"f4", DType::kF32},
    {"f8", DType::kF64},  {"c8", DType::kC64}, {"c16", DType::kC128}, {"V1", DType::kUI8},
};

absl::string_view DescrOf(DType dtype) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.dtype == dtype) return spelling.descr;
  }
  return ir::IsSigned(dtype) ? "i1" : "u1";
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("not a readable .npy file: ", what));
}

// Returns the text after `'key':` in the header's dictionary.
absl::StatusOr<absl::string_view> FindValue(absl::string_view header, absl::string_view key) {
  const size_t at = header.find(absl::StrCat("'", key, "'"));
  if (at == absl::string_view::npos) return Malformed(absl::StrCat("its header lacks '", key, "'"));
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(header.substr(at + key.size() + 2));
  if (!absl::ConsumePrefix(&rest, ":")) return Malformed("':' expected in its header");
  return absl::StripLeadingAsciiWhitespace(rest);
}

absl::StatusOr<DType> ParseDescr(absl::string_view value) {
  if (!absl::ConsumePrefix(&value, "'")) return Malformed("structured dtypes are not supported");
  const absl::string_view descr = value.substr(0, value.find('\''));
  if (descr.empty()) return Malformed("its dtype is empty");
  if (descr[0] == '>') return Malformed(absl::StrCat("dtype '", descr, "' is big-endian"));
  absl::string_view name = descr;
  if (name[0] == '<' || name[0] == '|' || name[0] == '=') name.remove_prefix(1);
  for (const Spelling& spelling : kSpellings) {
    if (spelling.descr == name) return spelling.dtype;
  }
  return Malformed(absl::StrCat("dtype '", descr, "' has no counterpart"));
}

absl::StatusOr<ir::Dims> ParseShape(absl::string_view value) {
  if (!absl::ConsumePrefix(&value, "(")) return Malformed("'(' expected before its shape");
  const size_t end = value.find(')');
  if (end == absl::string_view::npos) return Malformed("')' expected after its shape");
  value = value.substr(0, end);
  ir::Dims dims;
  while (!(value = absl::StripAsciiWhitespace(value)).empty()) {
    const size_t comma = value.find(',');
    int64_t size = 0;
    if (!absl::SimpleAtoi(value.substr(0, comma), &size))
      return Malformed("a size in its shape is no integer");
    dims.push_back(size);
    if (comma == absl::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  return dims;
}

std::string FortranToRowMajor(absl::string_view data, const ir::TensorType& type) {
  const int64_t element = ir::StorageBytesOf(type.dtype);
  std::string out(data.size(), '\0');
  std::vector<int64_t> index(type.dims.size(), 0);  // the row-major position being filled
  for (int64_t to = 0; to < type.num_elements(); ++to) {
    int64_t from = 0;
    for (int64_t d = type.rank() - 1; d >= 0; --d) from = from * type.dims[d] + index[d];
    std::memcpy(&out[to * element], &data[from * element], element);
    for (int64_t d = type.rank() - 1; d >= 0 && ++index[d] == type.dims[d]; --d) index[d] = 0;
  }
  return out;
}

}  // namespace

absl::StatusOr<ir::Literal> DecodeNpy(absl::string_view contents) {
  absl::string_view rest = contents;
  if (!absl::ConsumePrefix(&rest, kMagic)) return Malformed("the magic string is missing");
  if (rest.size() < 4) return Malformed("it ends within its header");
  const int major = static_cast<uint8_t>(rest[0]);
  if (major < 1 || major > 3)
    return Malformed(absl::StrCat("format version ", major, " is unknown"));
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (rest.size() < 2 + length_bytes) return Malformed("it ends within its header");
  size_t header_size = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    header_size |= static_cast<size_t>(static_cast<uint8_t>(rest[2 + i])) << (8 * i);
  }
  rest.remove_prefix(2 + length_bytes);
  if (rest.size() < header_size) return Malformed("it ends within its header");
  const absl::string_view header = rest.substr(0, header_size);
  const absl::string_view data = rest.substr(header_size);

  ACCELD_ASSIGN_OR_RETURN(const absl::string_view descr, FindValue(header, "descr"));
  ACCELD_ASSIGN_OR_RETURN(const absl::string_view order, FindValue(header, "fortran_order"));
  ACCELD_ASSIGN_OR_RETURN(const absl::string_view shape, FindValue(header, "shape"));
  ir::TensorType type;
  ACCELD_ASSIGN_OR_RETURN(type.dtype, ParseDescr(descr));
  ACCELD_ASSIGN_OR_RETURN(type.dims, ParseShape(shape));
  ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
  if (static_cast<int64_t>(data.size()) != type.size_bytes()) {
    return Malformed(absl::StrCat(type.ToString(), " needs ", type.size_bytes(),
                                  " bytes of data, it has ", data.size()));
  }
  const bool fortran = order.substr(0, 4) == "True" && type.rank() > 1;
  return ir::Literal::FromBytes(type, fortran ? FortranToRowMajor(data, type) : std::string(data));
}

absl::StatusOr<ir::Literal> FromStorageBytes(ir::Literal bytes, ir::DType dtype) {
  const auto is_byte = [](DType of) { return of == DType::kUI8 || of == DType::kI8; };
  if (!is_byte(bytes.type().dtype) || is_byte(dtype) || dtype == DType::kI1 ||
      ir::StorageBytesOf(dtype) != 1) {
    return bytes;
  }
  std::string elements = bytes.DenseBytes();
  const int unused = 8 - ir::BitsOf(dtype);
  for (char& element : elements) {
    const auto shifted = static_cast<uint8_t>(static_cast<uint8_t>(element) << unused);
    element = static_cast<char>(ir::IsSigned(dtype) ? static_cast<int8_t>(shifted) >> unused
                                                    : shifted >> unused);
  }
  return ir::Literal::FromBytes({dtype, bytes.type().dims}, std::move(elements));
}

std::string EncodeNpy(const ir::Literal& literal) {
  const ir::TensorType& type = literal.type();
  const absl::string_view order =
      ir::StorageBytesOf(type.dtype) == 1 || type.dtype == DType::kBF16 ? "|" : "<";
  std::string header = absl::StrCat(
      "{'descr': '", order, DescrOf(type.dtype), "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(type.dims, ", "), type.rank() == 1 ? "," : "", "), }");
  // The magic string, the version, the length and the header together must be a multiple of 64
  // bytes; the header ends with a newline.
  const size_t prefix = kMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header.push_back('\n');
  std::string out(kMagic);
  out.push_back('\x01');
  out.push_back('\x00');
  out.push_back(static_cast<char>(header.size() & 0xff));
  out.push_back(static_cast<char>(header.size() >> 8));
  out += header;
  out += literal.DenseBytes();
  return out;
}

absl::StatusOr<ir::Literal> ReadNpy(const std::string& path) {
  ACCELD_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  absl::StatusOr<ir::Literal> literal = DecodeNpy(contents);
  if (!literal.ok()) return Annotate(literal.status(), path);
  return literal;
}

absl::Status WriteNpy(const std::string& path, const ir::Literal& literal) {
  return WriteFile(path, EncodeNpy(literal));
}

}  // namespace acceld::client
