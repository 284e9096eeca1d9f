#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/bytecode/decoder.h"

// Decodes attributes about meshes of devices and their axes: those of VHLO to the structures that
// StableHLO text has for them; of the Shardy dialect the size of a mesh and the mesh of a sharding.
// Sources: StableHLO, VhloBytecode.cpp; Shardy, bytecode.td.
namespace acceld::ir::bytecode {
namespace {

enum VhloMeshCode : uint64_t {
  kVhloSubAxisInfo = 21,
  kVhloAxisRef = 22,
  kVhloReplicaGroupMeshAxes = 23,
  kVhloMeshAxis = 24,
  kVhloMesh = 25,
};

enum ShardyCode : uint64_t {
  kShardyMeshAxis = 1,
  kShardyMesh = 2,
  kShardyTensorSharding = 6,
  kShardyPerValue = 7,
  kShardyTensorShardingUnreduced = 15,
  kShardyPerValueUnreduced = 16,
  kShardyTensorShardingReduced = 17,
};

}  // namespace

absl::Status Decoder::ReadMember(Cursor& in, int depth, DecodedAttribute& owner,
                                 Attribute& member) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t index, AttributeIndex(in));
  ACCELD_ASSIGN_OR_RETURN(const DecodedAttribute* decoded, DecodeAttribute(index, depth + 1));
  ACCELD_RETURN_IF_ERROR(Charge(*decoded));
  owner.size_bytes += decoded->size_bytes;
  owner.constant_bytes += decoded->constant_bytes;
  member = decoded->value;
  return absl::OkStatus();
}

absl::Status Decoder::ReadMeshPart(uint64_t code, Cursor& in, int depth, DecodedAttribute& to) {
  StructAttribute part;
  const auto read_member = [&](const char* name) {
    return ReadMember(in, depth, to, part.fields[name]);
  };
  const auto read_size = [&](const char* name) -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(const int64_t size, in.SignedVarint());
    part.fields[name].value = IntegerAttribute{size, DType::kI64};
    return absl::OkStatus();
  };
  switch (code) {
    case kVhloSubAxisInfo:
      part.name = "sub_axis_info";
      ACCELD_RETURN_IF_ERROR(read_size("pre_size"));
      ACCELD_RETURN_IF_ERROR(read_size("size"));
      break;
    case kVhloAxisRef: {
      part.name = "axis_ref";
      ACCELD_RETURN_IF_ERROR(read_member("name"));
      ACCELD_ASSIGN_OR_RETURN(const uint64_t has_sub_axis, in.Varint());
      if (has_sub_axis != 0) ACCELD_RETURN_IF_ERROR(read_member("sub_axis_info"));
      break;
    }
    case kVhloReplicaGroupMeshAxes: {
      part.name = "replica_group_mesh_axes";
      ACCELD_RETURN_IF_ERROR(read_member("mesh"));
      ACCELD_RETURN_IF_ERROR(read_member("axes"));
      // In VHLO the name of a mesh is a string.
      Attribute& mesh = part.fields["mesh"];
      if (auto* name = std::get_if<StringAttribute>(&mesh.value)) {
        mesh.value = SymbolAttribute{std::move(name->value)};
      }
      break;
    }
    case kVhloMeshAxis:
      part.name = "mesh_axis";
      ACCELD_RETURN_IF_ERROR(read_member("name"));
      ACCELD_RETURN_IF_ERROR(read_size("size"));
      break;
    case kVhloMesh: {
      part.name = "mesh";
      ACCELD_RETURN_IF_ERROR(read_member("axes"));
      const size_t begin = in.offset();
      ACCELD_ASSIGN_OR_RETURN(const auto index_and_flag, in.VarintWithFlag());
      if (index_and_flag.second && index_and_flag.first >= container_.attributes.size()) {
        return Cursor::ErrorAt(begin, absl::StrCat("there is no attribute ", index_and_flag.first));
      }
      break;
    }
    default:
      return Cursor::ErrorAt(in.offset(), absl::StrCat("code ", code, " is no part of a mesh"));
  }
  to.value.value = std::move(part);
  return absl::OkStatus();
}

absl::Status Decoder::ReadShardyAttribute(Cursor& in, int depth, DecodedAttribute& to) {
  ACCELD_ASSIGN_OR_RETURN(const uint64_t code, in.Varint());
  StructAttribute part;
  switch (code) {
    case kShardyMeshAxis: {
      part.name = "mesh_axis";
      ACCELD_ASSIGN_OR_RETURN(std::string name, String(in));
      to.size_bytes += name.size();
      part.fields["name"].value = StringAttribute{std::move(name)};
      ACCELD_ASSIGN_OR_RETURN(const int64_t size, in.SignedVarint());
      part.fields["size"].value = IntegerAttribute{size, DType::kI64};
      break;
    }
    case kShardyMesh: {
      part.name = "mesh";
      DecodedAttribute axes;
      ACCELD_RETURN_IF_ERROR(ReadArray(in, depth, axes));
      to.size_bytes += axes.size_bytes;
      part.fields["axes"] = std::move(axes.value);
      break;  // The numbers of the devices follow.
    }
    case kShardyTensorSharding:
    case kShardyTensorShardingUnreduced:
    case kShardyTensorShardingReduced:
      part.name = "sharding";
      ACCELD_RETURN_IF_ERROR(ReadMember(in, depth, to, part.fields["mesh"]));
      break;  // The axes of each dimension follow.
    case kShardyPerValue:
    case kShardyPerValueUnreduced: {
      part.name = "sharding_per_value";
      DecodedAttribute shardings;
      ACCELD_RETURN_IF_ERROR(ReadArray(in, depth, shardings));
      to.size_bytes += shardings.size_bytes;
      part.fields["shardings"] = std::move(shardings.value);
      break;
    }
    default:
      to.value.value = OpaqueAttribute{absl::StrCat("#sdy<attribute ", code, ">")};
      return absl::OkStatus();
  }
  to.value.value = std::move(part);
  return absl::OkStatus();
}

}  // namespace acceld::ir::bytecode
