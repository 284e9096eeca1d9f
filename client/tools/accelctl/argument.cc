#include "client/tools/accelctl/argument.h"

#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/npy.h"

namespace acceld::tools {
namespace {

using ir::DType;

absl::Status BadArgument(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "argument '", text, "': ", why,
      "; write FILE.npy or DTYPE[SIZES]=random|zeros|iota|VALUE, such as f32[2,3]=random"));
}

// A 32-bit integer hash (two multiply-xorshift rounds) of a seed and an index.
uint32_t Hash(uint32_t seed, uint32_t index) {
  uint32_t x = index + seed * 0x9E3779B9u;
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  x ^= x >> 16;
  return x;
}

void WriteElement(DType dtype, std::string& bytes, int64_t index, double value) {
  switch (ir::ClassOf(dtype)) {
    case ir::DTypeClass::kBool:
    case ir::DTypeClass::kSigned:
    case ir::DTypeClass::kUnsigned:
      ir::WriteInt(dtype, bytes.data(), index, static_cast<int64_t>(value));
      return;
    case ir::DTypeClass::kFloat:
      ir::WriteFloat(dtype, bytes.data(), index, value);
      return;
    case ir::DTypeClass::kComplex:
      ir::WriteComplex(dtype, bytes.data(), index, {value, 0});
      return;
  }
}

double RandomValue(DType dtype, uint32_t bits) {
  switch (ir::ClassOf(dtype)) {
    case ir::DTypeClass::kBool:
      return bits >> 31;
    case ir::DTypeClass::kSigned:
    case ir::DTypeClass::kUnsigned:
      return (static_cast<uint64_t>(bits) * 100) >> 32;
    case ir::DTypeClass::kFloat:
    case ir::DTypeClass::kComplex:
      return (bits >> 8) * 0x1p-23 - 1;
  }
  return 0;
}

template <typename ValueAt>
absl::StatusOr<ir::Literal> Generate(const ir::TensorType& type, ValueAt value_at) {
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) WriteElement(type.dtype, bytes, i, value_at(i));
  return ir::Literal::FromBytes(type, std::move(bytes));
}

absl::StatusOr<ir::TensorType> ParseType(absl::string_view text, absl::string_view spec) {
  const size_t bracket = spec.find('[');
  const absl::optional<DType> dtype = ir::ParseDType(spec.substr(0, bracket));
  if (!dtype)
    return BadArgument(text, absl::StrCat("'", spec.substr(0, bracket), "' is no element type"));
  ir::TensorType type{*dtype, {}};
  if (bracket != absl::string_view::npos) {
    absl::string_view sizes = spec.substr(bracket + 1);
    if (!absl::ConsumeSuffix(&sizes, "]")) return BadArgument(text, "']' is missing");
    for (absl::string_view size :
         absl::StrSplit(sizes, absl::ByAnyChar(",x"), absl::SkipWhitespace())) {
      int64_t value = 0;
      if (!absl::SimpleAtoi(size, &value) || value < 0) {
        return BadArgument(text, absl::StrCat("'", size, "' is no size"));
      }
      type.dims.push_back(value);
    }
  }
  ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
  if (type.size_bytes() > (int64_t{1} << 36)) {
    return BadArgument(text, absl::StrCat(type.ToString(), " is larger than 64 GiB"));
  }
  return type;
}

// Makes the values of the argument with this number.
using Generator = std::function<absl::StatusOr<ir::Literal>(uint32_t argument_number)>;

// `content` is what stands behind the '=' of `text`.
absl::StatusOr<Generator> ParseContent(absl::string_view text, const ir::TensorType& type,
                                       absl::string_view content) {
  if (content == "zeros") return Generator([type](uint32_t) { return ir::Literal::Zeros(type); });
  if (content == "iota") {
    return Generator([type](uint32_t) {
      return Generate(type, [](int64_t i) { return static_cast<double>(i); });
    });
  }
  if (content == "random") {
    return Generator([type](uint32_t argument_number) {
      return Generate(type, [&](int64_t i) {
        return RandomValue(type.dtype, Hash(argument_number, static_cast<uint32_t>(i)));
      });
    });
  }
  if (int64_t integer = 0; ir::IsInteger(type.dtype) && absl::SimpleAtoi(content, &integer)) {
    return Generator([type, integer](uint32_t) {
      std::string element(ir::StorageBytesOf(type.dtype), '\0');
      ir::WriteInt(type.dtype, element.data(), 0, integer);
      return ir::Literal::FromBytes(type, std::move(element));
    });
  }
  double value = content == "true" ? 1 : 0;
  if (content != "true" && content != "false" && !absl::SimpleAtod(content, &value)) {
    return BadArgument(text, absl::StrCat("'", content, "' is no content"));
  }
  return Generator([type, value](uint32_t) { return ir::Literal::Filled(type, value); });
}

// An argument that is no file.
struct GeneratedArgument {
  ir::TensorType type;
  Generator generate;  // nullptr: the text has only the type
};

absl::StatusOr<GeneratedArgument> ParseGenerated(absl::string_view text) {
  const size_t equals = text.find('=');
  ACCELD_ASSIGN_OR_RETURN(const ir::TensorType type, ParseType(text, text.substr(0, equals)));
  if (equals == absl::string_view::npos) return GeneratedArgument{type, nullptr};
  ACCELD_ASSIGN_OR_RETURN(Generator generate, ParseContent(text, type, text.substr(equals + 1)));
  return GeneratedArgument{type, std::move(generate)};
}

}  // namespace

bool IsArgumentFile(absl::string_view text) { return absl::EndsWith(text, ".npy"); }

absl::StatusOr<ir::TensorType> ParseArgumentType(absl::string_view text) {
  ACCELD_ASSIGN_OR_RETURN(const GeneratedArgument argument, ParseGenerated(text));
  return argument.type;
}

absl::StatusOr<ir::Literal> ParseArgument(absl::string_view text, uint32_t argument_number) {
  if (IsArgumentFile(text)) return client::ReadNpy(std::string(text));
  ACCELD_ASSIGN_OR_RETURN(const GeneratedArgument argument, ParseGenerated(text));
  if (argument.generate == nullptr) return BadArgument(text, "'=' and a content are missing");
  return argument.generate(argument_number);
}

}  // namespace acceld::tools
