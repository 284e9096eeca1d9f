#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/ir/bytecode/decoder.h"
#include "common/ir/verify/limits.h"

// Decodes attributes about meshes of devices and shardings, those of VHLO and those of Shardy, to
// structures. Both dialects write the members of a structure one behind the other. Sources:
// StableHLO, VhloBytecode.cpp; Shardy, bytecode.td.
namespace acceld::ir::bytecode {

enum class MemberEncoding {
  kName,               // the number of a string
  kInteger,            // a signed varint
  kIntegers,           // the count, signed varints
  kFlag,               // a byte, 0 or 1
  kOptionalInteger,    // a varint whose lowest bit says whether there is one
  kAttribute,          // the number of an attribute
  kSymbol,             // the same; a string there is the name of a symbol
  kAttributes,         // the count, numbers of attributes
  kOptionalAttribute,  // a varint whose lowest bit says whether there is one, with its number
  kFlaggedAttribute,   // a varint, behind which there is the number of an attribute unless it is 0
};

struct StructMember {
  const char* name;
  MemberEncoding encoding;
};

struct StructLayout {
  static constexpr int kMaxMembers = 5;

  uint64_t code;
  const char* name;
  StructMember members[kMaxMembers];  // the first without a name ends them
};

namespace {

using Encoding = MemberEncoding;

constexpr StructLayout kVhloLayouts[] = {
    {21, "sub_axis_info", {{"pre_size", Encoding::kInteger}, {"size", Encoding::kInteger}}},
    {22,
     "axis_ref",
     {{"name", Encoding::kAttribute}, {"sub_axis_info", Encoding::kFlaggedAttribute}}},
    {23, "replica_group_mesh_axes", {{"mesh", Encoding::kSymbol}, {"axes", Encoding::kAttribute}}},
    {24, "mesh_axis", {{"name", Encoding::kAttribute}, {"size", Encoding::kInteger}}},
    {25, "mesh", {{"axes", Encoding::kAttribute}, {"device_ids", Encoding::kOptionalAttribute}}},
};

// Codes 8 to 10 are the parts of sharding rules, which acceld does not use.
constexpr StructLayout kShardyLayouts[] = {
    {0, "manual_axes", {{"axes", Encoding::kAttributes}}},
    {1, "mesh_axis", {{"name", Encoding::kName}, {"size", Encoding::kInteger}}},
    {2, "mesh", {{"axes", Encoding::kAttributes}, {"device_ids", Encoding::kIntegers}}},
    {3, "sub_axis_info", {{"pre_size", Encoding::kInteger}, {"size", Encoding::kInteger}}},
    {4, "axis_ref", {{"name", Encoding::kName}, {"sub_axis_info", Encoding::kOptionalAttribute}}},
    {5,
     "dimension_sharding",
     {{"axes", Encoding::kAttributes},
      {"is_closed", Encoding::kFlag},
      {"priority", Encoding::kOptionalInteger}}},
    {6,
     "sharding",
     {{"mesh", Encoding::kAttribute},
      {"dimensions", Encoding::kAttributes},
      {"replicated", Encoding::kAttributes}}},
    {7, "sharding_per_value", {{"shardings", Encoding::kAttributes}}},
    {13,
     "all_to_all_param",
     {{"axes", Encoding::kAttributes},
      {"src_dim", Encoding::kInteger},
      {"tgt_dim", Encoding::kInteger}}},
    // Newer versions of codes 6 and 7, which are written only where an older version is too small.
    {15,
     "sharding",
     {{"mesh", Encoding::kAttribute},
      {"dimensions", Encoding::kAttributes},
      {"replicated", Encoding::kAttributes},
      {"unreduced", Encoding::kAttributes}}},
    {16, "sharding_per_value", {{"shardings", Encoding::kAttributes}}},
    {17,
     "sharding",
     {{"mesh", Encoding::kAttribute},
      {"dimensions", Encoding::kAttributes},
      {"replicated", Encoding::kAttributes},
      {"unreduced", Encoding::kAttributes},
      {"reduction_op", Encoding::kInteger}}},
};

// Shardy's attributes that are lists of others: axis_ref_list, list_of_axis_ref_lists and
// all_to_all_param_list.
constexpr uint64_t kShardyLists[] = {11, 12, 14};

// The memory of an entry of a dictionary, about, without its contents.
constexpr uint64_t kFieldBytes = sizeof(AttributeDictionary::value_type) + 4 * sizeof(void*);

const StructLayout* FindLayout(absl::Span<const StructLayout> layouts, uint64_t code) {
  for (const StructLayout& layout : layouts) {
    if (layout.code == code) return &layout;
  }
  return nullptr;
}

absl::StatusOr<Attribute> ReadFlag(Cursor& in) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(const uint8_t flag, in.Byte());
  if (flag > 1) return Cursor::ErrorAt(begin, absl::StrCat("expected 0 or 1, found ", flag));
  return Attribute{IntegerAttribute{flag, DType::kI1}};
}

}  // namespace

absl::StatusOr<std::optional<Attribute>> Decoder::ReadReferenced(MemberEncoding encoding,
                                                                 Cursor& in, int depth,
                                                                 DecodedAttribute& owner) {
  uint64_t index = 0;
  if (encoding == Encoding::kOptionalAttribute) {
    const size_t begin = in.offset();
    ACCELD_ASSIGN_OR_RETURN(const auto index_and_flag, in.VarintWithFlag());
    if (!index_and_flag.second) return std::nullopt;
    index = index_and_flag.first;
    if (index >= container_.attributes.size()) {
      return Cursor::ErrorAt(begin, absl::StrCat("there is no attribute ", index));
    }
  } else {
    if (encoding == Encoding::kFlaggedAttribute) {
      ACCELD_ASSIGN_OR_RETURN(const uint64_t flag, in.Varint());
      if (flag == 0) return std::nullopt;
    }
    ACCELD_ASSIGN_OR_RETURN(index, AttributeIndex(in));
  }
  ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* decoded, DecodeAttribute(index, depth + 1));
  ACCELD_RETURN_IF_ERROR(Charge(*decoded));
  owner.size_bytes += decoded->size_bytes;
  owner.constant_bytes += decoded->constant_bytes;
  const auto* text = std::get_if<StringAttribute>(&decoded->value.value);
  if (encoding != Encoding::kSymbol || text == nullptr) return decoded->value;
  return Attribute{SymbolAttribute{text->value}};
}

absl::StatusOr<Attribute> Decoder::ReadName(Cursor& in, DecodedAttribute& owner) {
  const size_t begin = in.offset();
  ACCELD_ASSIGN_OR_RETURN(std::string name, String(in));
  if (name.empty() || name.size() > static_cast<size_t>(limits::kMaxNameBytes)) {
    return Cursor::ErrorAt(begin, absl::StrCat("a name has ", name.size(), " bytes, expected 1 to ",
                                               limits::kMaxNameBytes));
  }
  owner.size_bytes += name.size();
  return Attribute{StringAttribute{std::move(name)}};
}

absl::StatusOr<Attribute> Decoder::ReadIntegers(Cursor& in, DecodedAttribute& owner) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t count, in.Count("integers"));
  ACCELD_RETURN_IF_ERROR(Charge(count * sizeof(int64_t), "a list of integers"));
  owner.size_bytes += count * sizeof(int64_t);
  DenseArrayAttribute list;
  list.values.resize(count);
  for (int64_t& value : list.values) {
    ACCELD_ASSIGN_OR_RETURN(value, in.SignedVarint());
  }
  return Attribute{std::move(list)};
}

absl::StatusOr<std::optional<Attribute>> Decoder::ReadMember(MemberEncoding encoding, Cursor& in,
                                                             int depth, DecodedAttribute& owner) {
  switch (encoding) {
    case Encoding::kName:
      return ReadName(in, owner);
    case Encoding::kInteger: {
      ACCELD_ASSIGN_OR_RETURN(const int64_t integer, in.SignedVarint());
      return Attribute{IntegerAttribute{integer, DType::kI64}};
    }
    case Encoding::kIntegers:
      return ReadIntegers(in, owner);
    case Encoding::kFlag:
      return ReadFlag(in);
    case Encoding::kOptionalInteger: {
      ACCELD_ASSIGN_OR_RETURN(const auto integer_and_flag, in.VarintWithFlag());
      if (!integer_and_flag.second) return std::nullopt;
      const auto integer = static_cast<int64_t>(integer_and_flag.first);
      return Attribute{IntegerAttribute{integer, DType::kI64}};
    }
    case Encoding::kAttributes: {
      DecodedAttribute list;
      ACCELD_RETURN_IF_ERROR(ReadArray(in, depth, list));
      owner.size_bytes += list.size_bytes;
      owner.constant_bytes += list.constant_bytes;
      return std::move(list.value);
    }
    case Encoding::kAttribute:
    case Encoding::kSymbol:
    case Encoding::kOptionalAttribute:
    case Encoding::kFlaggedAttribute:
      break;
  }
  return ReadReferenced(encoding, in, depth, owner);
}

absl::Status Decoder::ReadStruct(const StructLayout& layout, Cursor& in, int depth,
                                 DecodedAttribute& to) {
  StructAttribute value;
  value.name = layout.name;
  for (const StructMember& member : layout.members) {
    if (member.name == nullptr) break;
    ACCELD_ASSIGN_OR_RETURN(std::optional<Attribute> field,
                            ReadMember(member.encoding, in, depth, to));
    if (!field.has_value()) continue;
    to.size_bytes += kFieldBytes;
    value.fields.emplace(member.name, *std::move(field));
  }
  to.value.value = std::move(value);
  return in.ExpectEnd(layout.name);
}

absl::Status Decoder::ReadVhloMeshPart(uint64_t code, Cursor& in, int depth, DecodedAttribute& to) {
  if (const StructLayout* layout = FindLayout(kVhloLayouts, code)) {
    return ReadStruct(*layout, in, depth, to);
  }
  to.value.value = OpaqueAttribute{absl::StrCat("#vhlo<attribute ", code, ">")};
  return absl::OkStatus();
}

absl::Status Decoder::ReadShardyAttribute(Cursor& in, int depth, DecodedAttribute& to) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  if (const StructLayout* layout = FindLayout(kShardyLayouts, code)) {
    return ReadStruct(*layout, in, depth, to);
  }
  if (std::find(std::begin(kShardyLists), std::end(kShardyLists), code) != std::end(kShardyLists)) {
    ACCELD_RETURN_IF_ERROR(ReadArray(in, depth, to));
    return in.ExpectEnd("a list");
  }
  to.value.value = OpaqueAttribute{absl::StrCat("#sdy<attribute ", code, ">")};
  return absl::OkStatus();
}

}  // namespace acceld::ir::bytecode
