#include "common/ir/wire/wire.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/attributes/attribute_write.h"
#include "common/ir/processes/single_process.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/memory_budget.h"
#include "common/ir/verify/memory_size.h"
#include "common/ir/verify/verifier.h"
#include "common/ir/wire/mesh_wire.h"
#include "common/ir/wire/wire_attribute.h"
#include "common/memory/allocation.h"

namespace acceld::ir {
namespace {

// Recurses as deep as regions nest, which the verifier bounds.
void ToProto(const Region& region, v1::Region& proto);

void ToProto(const Op& op, v1::Op& proto) {
  proto.set_name(std::string(NameOf(op.kind)));
  for (const auto& [name, attribute] : ToDictionary(op.attributes)) {
    ToProto(attribute, (*proto.mutable_attributes())[name]);
  }
  proto.mutable_operands()->Add(op.operands.begin(), op.operands.end());
  proto.mutable_results()->Add(op.results.begin(), op.results.end());
  for (const Region& region : op.regions) ToProto(region, *proto.add_regions());
  proto.set_line(op.location.line);
  proto.set_column(op.location.column);
}

void ToProto(const Region& region, v1::Region& proto) {
  proto.mutable_parameters()->Add(region.parameters.begin(), region.parameters.end());
  for (const Op& op : region.ops) ToProto(op, *proto.add_ops());
  proto.mutable_results()->Add(region.results.begin(), region.results.end());
}

void ToProto(const std::vector<std::optional<Sharding>>& shardings,
             google::protobuf::RepeatedPtrField<v1::Attribute>& proto) {
  for (const std::optional<Sharding>& sharding : shardings) {
    v1::Attribute& to = *proto.Add();
    if (sharding.has_value()) ToProto(WriteField(*sharding), to);
  }
}

void ToProto(const Function& function, v1::Function& proto) {
  proto.set_name(function.name);
  proto.set_is_public(function.is_public);
  ToProto(function.body, *proto.mutable_body());
  for (const Type& type : function.value_types) TypeToProto(type, *proto.add_value_types());
  for (const Donation& donation : function.donations) {
    v1::Donation& to = *proto.add_donations();
    to.set_parameter(donation.parameter);
    if (donation.result.has_value()) to.set_result(*donation.result);
  }
  ToProto(function.parameter_shardings, *proto.mutable_parameter_shardings());
  ToProto(function.result_shardings, *proto.mutable_result_shardings());
}

// Reads one function. Values refer by number to a table of types, so a few bytes can stand for a
// large type: each use is charged.
class FunctionReader {
 public:
  explicit FunctionReader(MemoryBudget& budget) : budget_(budget) {}

  absl::StatusOr<Function> Read(const v1::Function& proto) {
    function_.name = proto.name();
    function_.is_public = proto.is_public();
    function_.value_types.reserve(proto.value_types_size());
    for (const v1::Type& type : proto.value_types()) {
      ACCELD_ASSIGN_OR_RETURN(function_.value_types.emplace_back(), TypeFromProto(type, budget_));
    }
    ACCELD_ASSIGN_OR_RETURN(function_.body, ReadRegion(proto.body(), 0));
    ACCELD_RETURN_IF_ERROR(budget_.Charge(
        proto.donations_size() * static_cast<int64_t>(sizeof(Donation)), "the donations"));
    for (const v1::Donation& donation : proto.donations()) {
      Donation& to = function_.donations.emplace_back();
      to.parameter = donation.parameter();
      if (donation.has_result()) to.result = donation.result();
    }
    ACCELD_ASSIGN_OR_RETURN(function_.parameter_shardings,
                            ReadShardings(proto.parameter_shardings()));
    ACCELD_ASSIGN_OR_RETURN(function_.result_shardings, ReadShardings(proto.result_shardings()));
    return std::move(function_);
  }

 private:
  using Ids = google::protobuf::RepeatedField<uint32_t>;

  absl::StatusOr<std::vector<std::optional<Sharding>>> ReadShardings(
      const google::protobuf::RepeatedPtrField<v1::Attribute>& protos) {
    std::vector<std::optional<Sharding>> shardings;
    for (const v1::Attribute& proto : protos) {
      ACCELD_RETURN_IF_ERROR(
          budget_.Charge(static_cast<int64_t>(sizeof(std::optional<Sharding>)), "the shardings"));
      std::optional<Sharding>& sharding = shardings.emplace_back();
      if (proto.value_case() == v1::Attribute::VALUE_NOT_SET) continue;
      ACCELD_ASSIGN_OR_RETURN(const Attribute attribute, AttributeFromProto(proto, budget_));
      ACCELD_RETURN_IF_ERROR(Annotate(ReadStruct(attribute, sharding.emplace()), "a sharding"));
    }
    return shardings;
  }

  absl::StatusOr<std::vector<ValueId>> ReadIds(const Ids& ids, absl::string_view what) {
    for (const ValueId id : ids) {
      // The verifier refuses other ids.
      if (id >= function_.value_types.size()) continue;
      ACCELD_RETURN_IF_ERROR(budget_.Charge(MemoryBytesOf(function_.value_types[id]), what));
    }
    return std::vector<ValueId>(ids.begin(), ids.end());
  }

  absl::StatusOr<Op> ReadOp(const v1::Op& proto, int depth) {
    const absl::optional<OpKind> kind = FindOp(proto.name());
    if (!kind.has_value()) {
      return absl::UnimplementedError(absl::StrCat("op '", proto.name(), "' is not supported"));
    }
    Op op;
    op.kind = *kind;
    op.location = {proto.line(), proto.column()};
    AttributeDictionary attributes;
    for (const auto& [name, attribute] : proto.attributes()) {
      ACCELD_ASSIGN_OR_RETURN(attributes[name], AttributeFromProto(attribute, budget_));
    }
    ACCELD_ASSIGN_OR_RETURN(op.attributes, FromDictionary(op.kind, attributes));
    ACCELD_ASSIGN_OR_RETURN(op.operands, ReadIds(proto.operands(), proto.name()));
    ACCELD_ASSIGN_OR_RETURN(op.results, ReadIds(proto.results(), proto.name()));
    for (const v1::Region& region : proto.regions()) {
      ACCELD_ASSIGN_OR_RETURN(op.regions.emplace_back(), ReadRegion(region, depth + 1));
    }
    return op;
  }

  absl::StatusOr<Region> ReadRegion(const v1::Region& proto, int depth) {
    if (depth >= limits::kMaxRegionDepth) {
      return absl::InvalidArgumentError(
          absl::StrCat("regions are nested deeper than ", limits::kMaxRegionDepth));
    }
    Region region;
    ACCELD_ASSIGN_OR_RETURN(region.parameters, ReadIds(proto.parameters(), "a region"));
    ACCELD_ASSIGN_OR_RETURN(region.results, ReadIds(proto.results(), "a region"));
    ACCELD_RETURN_IF_ERROR(budget_.Charge(proto.ops_size() * kOpBytes, "a region's ops"));
    region.ops.reserve(proto.ops_size());
    for (const v1::Op& op : proto.ops()) {
      ACCELD_ASSIGN_OR_RETURN(region.ops.emplace_back(), ReadOp(op, depth));
    }
    return region;
  }

  MemoryBudget& budget_;
  Function function_;
};

}  // namespace

void ToProto(const Module& module, v1::Module& proto) {
  proto.set_name(module.name);
  for (const Function& function : module.functions) ToProto(function, *proto.add_functions());
  if (module.grid.size() == 1) return;
  proto.set_num_replicas(module.grid.num_replicas);
  proto.set_num_partitions(module.grid.num_partitions);
  for (const Mesh& mesh : module.meshes) ToProto(mesh, *proto.add_meshes());
}

v1::Module ToProto(const Module& module) {
  v1::Module proto;
  ToProto(module, proto);
  return proto;
}

namespace {

absl::StatusOr<Module> ReadModule(const v1::Module& proto) {
  Module module;
  module.name = proto.name();
  if (static_cast<int64_t>(module.name.size()) > limits::kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the module's name has ", module.name.size(),
                                                   " bytes, above the limit of ",
                                                   limits::kMaxNameBytes));
  }
  MemoryBudget budget = MemoryBudget::ForReading(static_cast<int64_t>(proto.ByteSizeLong()));
  ACCELD_RETURN_IF_ERROR(budget.Charge(
      proto.functions_size() * static_cast<int64_t>(sizeof(Function)), "the functions"));
  module.functions.reserve(proto.functions_size());
  for (const v1::Function& function : proto.functions()) {
    absl::StatusOr<Function> read = FunctionReader(budget).Read(function);
    if (!read.ok()) return Annotate(read.status(), absl::StrCat("@", function.name()));
    module.functions.push_back(*std::move(read));
  }
  if (proto.num_replicas() != 0) module.grid.num_replicas = proto.num_replicas();
  if (proto.num_partitions() != 0) module.grid.num_partitions = proto.num_partitions();
  for (const v1::Mesh& mesh : proto.meshes()) {
    ACCELD_ASSIGN_OR_RETURN(module.meshes.emplace_back(), MeshFromProto(mesh, budget));
  }
  ACCELD_RETURN_IF_ERROR(Verify(module));
  if (module.grid.size() == 1 && ConcernsProcesses(module)) {
    return absl::InvalidArgumentError(
        "the program has collectives or shardings, but num_replicas and num_partitions are 1");
  }
  ACCELD_RETURN_IF_ERROR(RefuseInternalOps(module));
  return module;
}

}  // namespace

absl::StatusOr<Module> FromProto(const v1::Module& proto) {
  return ContainAllocationFailure("reading a program", [&] { return ReadModule(proto); });
}

}  // namespace acceld::ir
