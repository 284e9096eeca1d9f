#include "common/ir/wire/signature_wire.h"

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/attributes/attribute_write.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/wire/mesh_wire.h"
#include "common/ir/wire/wire.h"
#include "common/ir/wire/wire_attribute.h"

namespace acceld::ir {
namespace {

using ShardingProtos = google::protobuf::RepeatedPtrField<v1::Attribute>;
using TypeProtos = google::protobuf::RepeatedPtrField<v1::TensorType>;

void ToProto(const std::vector<Sharding>& shardings, ShardingProtos& protos) {
  for (const Sharding& sharding : shardings) ToProto(WriteField(sharding), *protos.Add());
}

void ToProto(const std::vector<TensorType>& types, TypeProtos& protos) {
  for (const TensorType& type : types) *protos.Add() = ToProto(type);
}

absl::StatusOr<std::vector<TensorType>> TypesFromProto(const TypeProtos& protos) {
  std::vector<TensorType> types;
  for (const v1::TensorType& proto : protos) {
    ACCELD_ASSIGN_OR_RETURN(types.emplace_back(), FromProto(proto));
  }
  return types;
}

absl::StatusOr<std::vector<Sharding>> ShardingsFromProto(const ShardingProtos& protos,
                                                         const std::vector<TensorType>& types,
                                                         const Mesh& mesh, MemoryBudget& budget) {
  std::vector<Sharding> shardings;
  if (protos.empty()) return shardings;
  if (protos.size() != static_cast<int>(types.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat(protos.size(), " shardings of ", types.size(), " values"));
  }
  for (const v1::Attribute& proto : protos) {
    ACCELD_ASSIGN_OR_RETURN(const Attribute attribute, AttributeFromProto(proto, budget));
    Sharding& sharding = shardings.emplace_back();
    ACCELD_RETURN_IF_ERROR(ReadStruct(attribute, sharding));
    ACCELD_RETURN_IF_ERROR(CheckSharding(sharding, types[shardings.size() - 1], {&mesh, 1}));
  }
  return shardings;
}

}  // namespace

void ToProto(const ProcessSignature& signature, v1::ProcessSignature& proto) {
  ToProto(signature.arguments, *proto.mutable_arguments());
  ToProto(signature.results, *proto.mutable_results());
  ToProto(signature.mesh, *proto.mutable_mesh());
  ToProto(signature.argument_shardings, *proto.mutable_argument_shardings());
  ToProto(signature.result_shardings, *proto.mutable_result_shardings());
}

absl::StatusOr<ProcessSignature> FromProto(const v1::ProcessSignature& proto) {
  MemoryBudget budget = MemoryBudget::ForReading(static_cast<int64_t>(proto.ByteSizeLong()));
  ProcessSignature signature;
  ACCELD_ASSIGN_OR_RETURN(signature.arguments, TypesFromProto(proto.arguments()));
  ACCELD_ASSIGN_OR_RETURN(signature.results, TypesFromProto(proto.results()));
  ACCELD_ASSIGN_OR_RETURN(signature.mesh, MeshFromProto(proto.mesh(), budget));
  ACCELD_ASSIGN_OR_RETURN(
      signature.argument_shardings,
      ShardingsFromProto(proto.argument_shardings(), signature.arguments, signature.mesh, budget));
  ACCELD_ASSIGN_OR_RETURN(
      signature.result_shardings,
      ShardingsFromProto(proto.result_shardings(), signature.results, signature.mesh, budget));
  return signature;
}

}  // namespace acceld::ir
