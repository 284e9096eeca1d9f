#include "server/hal/executable.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acceld/v1/executable.pb.h"

namespace acceld::hal {
namespace {

constexpr uint32_t kFormat = 1;

// Of the wire format of Protocol Buffers: the wire type of strings, and the most bytes of a field
// of that type before its content.
constexpr uint32_t kLengthDelimited = 2;
constexpr size_t kMaxFieldHeaderBytes = 20;

void AppendVarint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

void TypesToProto(const std::vector<ir::TensorType>& types,
                  google::protobuf::RepeatedPtrField<v1::TensorType>& out) {
  for (const ir::TensorType& type : types) {
    v1::TensorType& to = *out.Add();
    const absl::string_view name = ir::DTypeName(type.dtype);
    to.set_dtype(name.data(), name.size());
    for (int64_t dim : type.dims) to.add_dims(dim);
  }
}

absl::StatusOr<std::vector<ir::TensorType>> TypesFromProto(
    const google::protobuf::RepeatedPtrField<v1::TensorType>& types, absl::string_view what) {
  std::vector<ir::TensorType> out;
  for (const v1::TensorType& from : types) {
    const absl::optional<ir::DType> dtype = ir::ParseDType(from.dtype());
    if (!dtype.has_value()) {
      return absl::DataLossError(
          absl::StrCat("executable: ", what, " ", out.size(), " has an unknown element type"));
    }
    ir::TensorType type;
    type.dtype = *dtype;
    type.dims.assign(from.dims().begin(), from.dims().end());
    if (!type.IsStatic() || !ir::ValidateType(type).ok()) {
      return absl::DataLossError(
          absl::StrCat("executable: ", what, " ", out.size(), " has no valid static shape"));
    }
    out.push_back(std::move(type));
  }
  return out;
}

bool MayShare(const Executable& executable) {
  return std::all_of(executable.may_share.begin(), executable.may_share.end(),
                     [&](const auto& alias) {
                       return alias.argument < executable.arguments.size() &&
                              alias.result < executable.results.size() &&
                              executable.arguments[alias.argument].size_bytes() ==
                                  executable.results[alias.result].size_bytes();
                     });
}

std::string TypeList(const std::vector<ir::TensorType>& types) {
  const std::vector<ir::Type> list(types.begin(), types.end());
  return ir::ToString(list);
}

}  // namespace

std::string Executable::Signature() const {
  const std::string to = TypeList(results);
  return absl::StrCat("(", TypeList(arguments), ") -> ",
                      results.size() == 1 ? to : absl::StrCat("(", to, ")"));
}

std::string Serialize(const Executable& executable) {
  v1::Executable proto;
  proto.set_format(kFormat);
  proto.set_program_name(executable.program_name);
  proto.set_architecture(executable.architecture);
  proto.set_build_id(executable.build_id);
  TypesToProto(executable.arguments, *proto.mutable_arguments());
  TypesToProto(executable.results, *proto.mutable_results());
  proto.set_arena_bytes(executable.arena_bytes);
  proto.set_code(executable.code);
  proto.set_steady(executable.steady);
  proto.set_has_collectives(executable.has_collectives);
  proto.set_compile_ms(executable.compile_ms);
  for (const kernels::InputOutputAlias& alias : executable.may_share) {
    v1::InputOutputAlias& to = *proto.add_may_share();
    to.set_argument(alias.argument);
    to.set_result(alias.result);
  }
  // The constants, which may be most of the bytes, are appended without being copied to the message
  // first.
  const size_t rest_bytes = proto.ByteSizeLong();
  const size_t most_bytes = rest_bytes + kMaxFieldHeaderBytes + executable.constants.size();
  if (most_bytes > static_cast<size_t>(INT32_MAX)) return "";
  std::string bytes;
  bytes.reserve(most_bytes);
  if (!proto.AppendToString(&bytes)) return "";
  if (!executable.constants.empty()) {
    AppendVarint(v1::Executable::kConstantsFieldNumber << 3 | kLengthDelimited, bytes);
    AppendVarint(executable.constants.size(), bytes);
    bytes += executable.constants;
  }
  return bytes;
}

absl::StatusOr<Executable> Deserialize(absl::string_view bytes) {
  v1::Executable proto;
  if (bytes.size() > static_cast<size_t>(INT32_MAX) ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError(
        absl::StrCat("executable: ", bytes.size(), " bytes are not a well-formed message"));
  }
  if (proto.format() != kFormat) {
    return absl::DataLossError(
        absl::StrCat("executable: format ", proto.format(), ", expected ", kFormat));
  }
  if (proto.arena_bytes() < 0) {
    return absl::DataLossError(
        absl::StrCat("executable: an arena of ", proto.arena_bytes(), " bytes"));
  }
  Executable executable;
  executable.program_name = std::move(*proto.mutable_program_name());
  executable.architecture = std::move(*proto.mutable_architecture());
  executable.build_id = std::move(*proto.mutable_build_id());
  ACCELD_ASSIGN_OR_RETURN(executable.arguments, TypesFromProto(proto.arguments(), "argument"));
  ACCELD_ASSIGN_OR_RETURN(executable.results, TypesFromProto(proto.results(), "result"));
  executable.arena_bytes = proto.arena_bytes();
  executable.constants = std::move(*proto.mutable_constants());
  executable.code = std::move(*proto.mutable_code());
  executable.steady = proto.steady();
  executable.has_collectives = proto.has_collectives();
  executable.compile_ms = proto.compile_ms();
  for (const v1::InputOutputAlias& alias : proto.may_share()) {
    executable.may_share.push_back({alias.argument(), alias.result()});
  }
  if (!MayShare(executable)) {
    return absl::DataLossError("executable: an argument and a result of two sizes share memory");
  }
  return executable;
}

}  // namespace acceld::hal
