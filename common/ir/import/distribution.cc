#include "common/ir/import/distribution.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/attributes/attribute_write.h"
#include "common/ir/calls/sharding_targets.h"
#include "common/ir/import/group_axes.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/processes/single_process.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

constexpr char kSharding[] = "sharding";
constexpr char kOutSharding[] = "out_sharding";
constexpr char kShardingOfOp[] = "sdy.sharding";
constexpr char kOldSharding[] = "mhlo.sharding";
constexpr absl::string_view kConstraint = "sdy.sharding_constraint";

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// The ops of Shardy that give a value another sharding, or none, and leave it as it is. Each has
// its new sharding in one attribute.
struct Resharding {
  absl::string_view name;
  absl::string_view attribute;
};
constexpr Resharding kReshardings[] = {
    {"sdy.all_gather", kOutSharding},
    {"sdy.all_reduce", kOutSharding},
    {"sdy.all_slice", kOutSharding},
    {"sdy.all_to_all", kOutSharding},
    {"sdy.collective_permute", kOutSharding},
    {"sdy.data_flow_edge", kSharding},
    {"sdy.propagation_barrier", ""},
    {"sdy.reduce_scatter", kOutSharding},
    {"sdy.replicated_to_unreduced", kOutSharding},
    {"sdy.reshard", kSharding},
    {"sdy.sharded_to_unreduced", kOutSharding},
};

const Attribute* Find(const AttributeDictionary& attributes, absl::string_view name) {
  const auto found = attributes.find(std::string(name));
  return found == attributes.end() ? nullptr : &found->second;
}

absl::Status ReadSize(const AttributeDictionary& attributes, const std::string& name, int64_t& to) {
  const Attribute* attribute = Find(attributes, name);
  if (attribute == nullptr) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(Annotate(ReadField(*attribute, to), name));
  if (to >= 1 && to <= limits::kMaxProcesses) return absl::OkStatus();
  return Refuse(name, " is ", to, ", expected 1 to ", limits::kMaxProcesses);
}

// Returns the fields of a structure of this name, or those of a dictionary; INVALID_ARGUMENT for
// anything else.
absl::StatusOr<const AttributeDictionary*> FieldsOf(const Attribute& from, absl::string_view name) {
  if (const auto* named = std::get_if<StructAttribute>(&from.value)) {
    // In text the name is absent where only one kind of structure is possible.
    if (named->name == name || named->name.empty()) return &named->fields;
  }
  if (const auto* dictionary = std::get_if<DictionaryAttribute>(&from.value)) {
    return &dictionary->entries;
  }
  return Refuse("expected a ", name, ", found ", ToString(from));
}

// Returns the elements of a list; those of a missing one are none.
absl::StatusOr<std::vector<Attribute>> ElementsOf(const AttributeDictionary& fields,
                                                  absl::string_view name) {
  const Attribute* attribute = Find(fields, name);
  if (attribute == nullptr) return std::vector<Attribute>();
  if (const auto* list = std::get_if<ArrayAttribute>(&attribute->value)) return list->elements;
  // The reader of text gives a list without elements as an empty list of integers.
  const auto* none = std::get_if<DenseArrayAttribute>(&attribute->value);
  if (none != nullptr && none->values.empty()) return std::vector<Attribute>();
  return Refuse(name, ": expected a list, found ", ToString(*attribute));
}

template <typename Field>
absl::Status ReadOptional(const AttributeDictionary& fields, const std::string& name, Field& to) {
  const Attribute* attribute = Find(fields, name);
  if (attribute == nullptr) return absl::OkStatus();
  return Annotate(ReadField(*attribute, to), name);
}

absl::StatusOr<int64_t> AxisNumber(const Mesh& mesh, const std::string& name) {
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) return static_cast<int64_t>(i);
  }
  return Refuse("mesh @", mesh.name, " has no axis \"", name, "\"");
}

absl::StatusOr<AxisRef> ReadAxis(const Attribute& from, const Mesh& mesh) {
  ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields, FieldsOf(from, "axis_ref"));
  std::string name;
  ACCELD_RETURN_IF_ERROR(ReadOptional(*fields, "name", name));
  AxisRef axis;
  ACCELD_ASSIGN_OR_RETURN(axis.axis, AxisNumber(mesh, name));
  const Attribute* part = Find(*fields, "sub_axis_info");
  if (part == nullptr) return axis;
  ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* sizes, FieldsOf(*part, "sub_axis_info"));
  ACCELD_RETURN_IF_ERROR(ReadOptional(*sizes, "pre_size", axis.pre_size));
  ACCELD_RETURN_IF_ERROR(ReadOptional(*sizes, "size", axis.size));
  if (axis.size < 2) return Refuse("a part of axis \"", name, "\" has size ", axis.size);
  return axis;
}

absl::StatusOr<std::vector<AxisRef>> ReadAxes(const AttributeDictionary& fields,
                                              absl::string_view name, const Mesh& mesh) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Attribute> elements, ElementsOf(fields, name));
  std::vector<AxisRef> axes;
  for (const Attribute& element : elements) {
    ACCELD_ASSIGN_OR_RETURN(axes.emplace_back(), ReadAxis(element, mesh));
  }
  return axes;
}

absl::StatusOr<DimensionSharding> ReadDimension(const Attribute& from, const Mesh& mesh) {
  ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields, FieldsOf(from, "dimension_sharding"));
  DimensionSharding dimension;
  ACCELD_ASSIGN_OR_RETURN(dimension.axes, ReadAxes(*fields, "axes", mesh));
  ACCELD_RETURN_IF_ERROR(ReadOptional(*fields, "is_closed", dimension.is_closed));
  ACCELD_RETURN_IF_ERROR(ReadOptional(*fields, "priority", dimension.priority));
  return dimension;
}

// Puts channel_handle in the place of channel_id, as bytecode has it, and makes all handles equal:
// only their presence counts.
absl::Status NormalizeChannel(AttributeDictionary& attributes) {
  int64_t number = 0;
  if (const Attribute* handle = Find(attributes, "channel_handle")) {
    ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields, FieldsOf(*handle, "channel_handle"));
    ACCELD_RETURN_IF_ERROR(ReadOptional(*fields, "handle", number));
  }
  ACCELD_RETURN_IF_ERROR(ReadOptional(attributes, "channel_id", number));
  attributes.erase("channel_id");
  attributes.erase("channel_handle");
  if (number > 0) attributes["channel_handle"] = WriteField(ChannelHandle{1, 1});
  return absl::OkStatus();
}

// Checks that a collective has the attributes without which it means nothing.
absl::Status CheckRequired(const ImportedOp& op) {
  static constexpr std::pair<absl::string_view, absl::string_view> kRequired[] = {
      {"stablehlo.all_gather", "all_gather_dim"},
      {"stablehlo.all_to_all", "concat_dimension"},
      {"stablehlo.all_to_all", "split_count"},
      {"stablehlo.all_to_all", "split_dimension"},
      {"stablehlo.reduce_scatter", "scatter_dimension"},
  };
  const absl::string_view members =
      op.name == "stablehlo.collective_permute" ? "source_target_pairs" : "replica_groups";
  if (Find(op.attributes, members) == nullptr) {
    return Refuse("expected attribute '", members, "'");
  }
  for (const auto& [name, attribute] : kRequired) {
    if (op.name == name && Find(op.attributes, attribute) == nullptr) {
      return Refuse("expected attribute '", attribute, "'");
    }
  }
  return absl::OkStatus();
}

bool IsCollective(absl::string_view name) {
  const absl::optional<OpKind> kind = FindOp(name);
  return name == "stablehlo.cross-replica-sum" ||
         (kind.has_value() && FamilyOf(*kind) == OpFamily::kCollective &&
          *kind != OpKind::kPartitionId && *kind != OpKind::kReplicaId);
}

const std::string* TargetOf(const ImportedOp& op) {
  const Attribute* target = Find(op.attributes, "call_target_name");
  if (op.name != "stablehlo.custom_call" || target == nullptr) return nullptr;
  const auto* name = std::get_if<StringAttribute>(&target->value);
  return name == nullptr ? nullptr : &name->value;
}

}  // namespace

absl::StatusOr<Mesh> ReadMesh(const Attribute& from) {
  ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields, FieldsOf(from, "mesh"));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Attribute> axes, ElementsOf(*fields, "axes"));
  if (static_cast<int64_t>(axes.size()) > limits::kMaxMeshAxes) {
    return Refuse("a mesh has ", axes.size(), " axes, above the limit of ", limits::kMaxMeshAxes);
  }
  Mesh mesh;
  for (const Attribute& element : axes) {
    ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* axis, FieldsOf(element, "mesh_axis"));
    MeshAxis& to = mesh.axes.emplace_back();
    ACCELD_RETURN_IF_ERROR(ReadOptional(*axis, "name", to.name));
    ACCELD_RETURN_IF_ERROR(ReadOptional(*axis, "size", to.size));
  }
  ACCELD_RETURN_IF_ERROR(ReadOptional(*fields, "device_ids", mesh.device_ids));
  return mesh;
}

absl::Status Distribution::ReadGrid(const AttributeDictionary& module_attributes) {
  ACCELD_RETURN_IF_ERROR(ReadSize(module_attributes, "mhlo.num_replicas", grid_.num_replicas));
  ACCELD_RETURN_IF_ERROR(ReadSize(module_attributes, "mhlo.num_partitions", grid_.num_partitions));
  if (grid_.size() <= limits::kMaxProcesses) return absl::OkStatus();
  return Refuse("mhlo.num_replicas is ", grid_.num_replicas, " and mhlo.num_partitions is ",
                grid_.num_partitions, ", together more than ", limits::kMaxProcesses, " processes");
}

absl::Status Distribution::DeclareMesh(const std::string& name, const Attribute& mesh) {
  const auto is_same = [&](const Mesh& other) { return other.name == name; };
  if (std::any_of(meshes_.begin(), meshes_.end(), is_same)) {
    return Refuse("two meshes are named @", name);
  }
  if (static_cast<int64_t>(meshes_.size()) >= limits::kMaxMeshes) {
    return Refuse("the program has more than ", limits::kMaxMeshes, " meshes");
  }
  auto read = ReadMesh(mesh);
  if (!read.ok()) return Annotate(read.status(), absl::StrCat("mesh @", name));
  read->name = name;
  meshes_.push_back(*std::move(read));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Distribution::FindMesh(const Attribute& from) {
  if (const auto* symbol = std::get_if<SymbolAttribute>(&from.value)) {
    for (size_t i = 0; i < meshes_.size(); ++i) {
      if (meshes_[i].name == symbol->name) return static_cast<int64_t>(i);
    }
    return Refuse("mesh @", symbol->name, " is not declared before it is used");
  }
  // A mesh that stands in its use gets a name that no declared mesh can have.
  ACCELD_ASSIGN_OR_RETURN(Mesh mesh, ReadMesh(from));
  for (size_t i = 0; i < meshes_.size(); ++i) {
    mesh.name = meshes_[i].name;
    if (meshes_[i] == mesh) return static_cast<int64_t>(i);
  }
  if (static_cast<int64_t>(meshes_.size()) >= limits::kMaxMeshes) {
    return Refuse("the program has more than ", limits::kMaxMeshes, " meshes");
  }
  mesh.name = absl::StrCat("inlined mesh ", meshes_.size());
  meshes_.push_back(std::move(mesh));
  return static_cast<int64_t>(meshes_.size()) - 1;
}

absl::StatusOr<Sharding> Distribution::ReadSharding(const Attribute& from) {
  ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields, FieldsOf(from, kSharding));
  const Attribute* mesh_name = Find(*fields, "mesh");
  if (mesh_name == nullptr) return Refuse("a sharding has no mesh");
  Sharding sharding;
  ACCELD_ASSIGN_OR_RETURN(sharding.mesh, FindMesh(*mesh_name));
  const Mesh& mesh = meshes_[static_cast<size_t>(sharding.mesh)];
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Attribute> dimensions,
                          ElementsOf(*fields, "dimensions"));
  for (const Attribute& dimension : dimensions) {
    ACCELD_ASSIGN_OR_RETURN(sharding.dimensions.emplace_back(), ReadDimension(dimension, mesh));
  }
  ACCELD_ASSIGN_OR_RETURN(sharding.replicated, ReadAxes(*fields, "replicated", mesh));
  ACCELD_ASSIGN_OR_RETURN(sharding.unreduced, ReadAxes(*fields, "unreduced", mesh));
  int64_t reduction = 0;
  ACCELD_RETURN_IF_ERROR(ReadOptional(*fields, "reduction_op", reduction));
  if (reduction < 0 || reduction > static_cast<int64_t>(Reduction::kMin)) {
    return absl::UnimplementedError(
        absl::StrCat("a sharding of unreduced values with reduction ", reduction,
                     " is not supported, only sums (0), maxima (1) and minima (2) are"));
  }
  if (!sharding.unreduced.empty()) sharding.reduction = static_cast<Reduction>(reduction);
  return sharding;
}

absl::StatusOr<std::vector<Sharding>> Distribution::ReadShardings(const Attribute& from) {
  ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields, FieldsOf(from, "sharding_per_value"));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Attribute> elements, ElementsOf(*fields, "shardings"));
  std::vector<Sharding> shardings;
  for (const Attribute& element : elements) {
    ACCELD_ASSIGN_OR_RETURN(shardings.emplace_back(), ReadSharding(element));
  }
  return shardings;
}

absl::StatusOr<std::optional<Sharding>> Distribution::ShardingAmong(
    const AttributeDictionary& attributes, absl::string_view where) {
  if (old_partitioner_.empty() && Find(attributes, kOldSharding) != nullptr) {
    old_partitioner_ = absl::StrCat("@", where, ": attribute '", kOldSharding, "'");
  }
  const Attribute* sharding = Find(attributes, kShardingOfOp);
  if (sharding == nullptr) return std::optional<Sharding>();
  ACCELD_ASSIGN_OR_RETURN(Sharding read, ReadSharding(*sharding));
  return std::optional<Sharding>(std::move(read));
}

absl::Status Distribution::PrepareManualComputation(ImportedOp& op) {
  ManualComputationAttributes attributes;
  for (const auto& [name, to] : {std::pair("in_shardings", &attributes.in_shardings),
                                 std::pair("out_shardings", &attributes.out_shardings)}) {
    const Attribute* shardings = Find(op.attributes, name);
    if (shardings == nullptr) continue;
    auto read = ReadShardings(*shardings);
    if (!read.ok()) return Annotate(read.status(), name);
    *to = *std::move(read);
  }
  std::vector<std::string> names;
  if (const Attribute* manual = Find(op.attributes, "manual_axes")) {
    ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields, FieldsOf(*manual, "manual_axes"));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Attribute> axes, ElementsOf(*fields, "axes"));
    for (const Attribute& axis : axes) {
      ACCELD_RETURN_IF_ERROR(Annotate(ReadField(axis, names.emplace_back()), "manual_axes"));
    }
  }
  const std::vector<Sharding>& some =
      attributes.in_shardings.empty() ? attributes.out_shardings : attributes.in_shardings;
  if (some.empty() && !names.empty()) return Refuse("manual_axes without a sharding");
  for (const std::string& name : names) {
    ACCELD_ASSIGN_OR_RETURN(attributes.manual_axes.emplace_back(),
                            AxisNumber(meshes_[static_cast<size_t>(some[0].mesh)], name));
  }
  std::sort(attributes.manual_axes.begin(), attributes.manual_axes.end());
  op.attributes = WriteAllFields(attributes);
  return absl::OkStatus();
}

absl::Status Distribution::PrepareGroups(ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckRequired(op));
  ACCELD_RETURN_IF_ERROR(NormalizeChannel(op.attributes));
  const auto groups = op.attributes.find("replica_groups");
  if (groups == op.attributes.end()) return absl::OkStatus();
  if (auto* list = std::get_if<Literal>(&groups->second.value)) {
    const TensorType& type = list->type();
    if (type.rank() == 2 && IsInteger(type.dtype) && type.num_elements() > limits::kMaxProcesses) {
      return Refuse("replica_groups is a ", Type(type).ToString(), ", more than ",
                    limits::kMaxProcesses, " processes");
    }
    return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary* fields,
                          FieldsOf(groups->second, "replica_group_mesh_axes"));
  const Attribute* mesh_name = Find(*fields, "mesh");
  if (mesh_name == nullptr) return Refuse("replica_groups has no mesh");
  ACCELD_ASSIGN_OR_RETURN(const int64_t mesh_number, FindMesh(*mesh_name));
  const Mesh& mesh = meshes_[static_cast<size_t>(mesh_number)];
  ACCELD_ASSIGN_OR_RETURN(const std::vector<AxisRef> axes, ReadAxes(*fields, "axes", mesh));
  ACCELD_ASSIGN_OR_RETURN(groups->second.value, GroupsAlong(axes, mesh));
  return absl::OkStatus();
}

absl::Status Distribution::Prepare(ImportedOp& op, absl::string_view function) {
  NoteOldPartitioner(op, function);
  if (const std::string* target = TargetOf(op)) {
    if (*target == kRunParallelTarget) runs_functions_in_parallel_ = true;
  }
  absl::Status status;
  const auto is_it = [&](const Resharding& resharding) { return op.name == resharding.name; };
  const auto* resharding = std::find_if(std::begin(kReshardings), std::end(kReshardings), is_it);
  const absl::string_view sharding_name =
      resharding != std::end(kReshardings) ? resharding->attribute : kSharding;
  if (op.name == kConstraint || resharding != std::end(kReshardings)) {
    const Attribute* named = Find(op.attributes, sharding_name);
    if (named == nullptr && op.name != "sdy.propagation_barrier" &&
        op.name != "sdy.data_flow_edge") {
      return Refuse("op '", op.name, "': expected attribute '", sharding_name, "'");
    }
    op.name = std::string(named == nullptr ? kUnchangedOp : kConstraint);
    if (named == nullptr) return absl::OkStatus();
    auto read = ReadSharding(*named);
    if (!read.ok()) return Annotate(read.status(), absl::StrCat("op '", kConstraint, "'"));
    op.attributes = {{kSharding, WriteField(*read)}};
    return absl::OkStatus();
  }
  if (op.name == "sdy.manual_computation") {
    status = PrepareManualComputation(op);
  } else if (op.name == "sdy.constant") {
    op.name = std::string(NameOf(OpKind::kConstant));
  } else if (IsCollective(op.name)) {
    status = PrepareGroups(op);
  }
  return Annotate(status, absl::StrCat("op '", op.name, "'"));
}

absl::StatusOr<std::vector<Sharding>> Distribution::ShardingsOfResults(const ImportedOp& op) {
  const Attribute* shardings = Find(op.attributes, kShardingOfOp);
  if (shardings == nullptr) return std::vector<Sharding>();
  auto read = ReadShardings(*shardings);
  if (!read.ok()) return Annotate(read.status(), absl::StrCat("op '", op.name, "'"));
  return *std::move(read);
}

void Distribution::NoteOldPartitioner(const ImportedOp& op, absl::string_view function) {
  if (!old_partitioner_.empty()) return;
  const std::string* target = TargetOf(op);
  if (target != nullptr && IsOldPartitionerTarget(*target)) {
    old_partitioner_ = absl::StrCat("@", function, ": custom call '", *target, "'");
  } else if (Find(op.attributes, kOldSharding) != nullptr) {
    old_partitioner_ =
        absl::StrCat("@", function, ": attribute '", kOldSharding, "' of op '", op.name, "'");
  }
}

absl::StatusOr<Module> Distribution::Finish(Module module) const {
  module.grid = grid_;
  module.meshes = meshes_;
  if (runs_functions_in_parallel_) return module;
  if (grid_.size() == 1) {
    return ForSingleProcess(std::move(module));
  }
  if (!old_partitioner_.empty()) {
    return absl::UnimplementedError(absl::StrCat(
        old_partitioner_,
        " is of the GSPMD partitioner: programs for several devices need the "
        "Shardy partitioner; set jax_use_shardy_partitioner (JAX_USE_SHARDY_PARTITIONER=1), which "
        "is JAX's default"));
  }
  return module;
}

}  // namespace acceld::ir
