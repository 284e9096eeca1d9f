#include "common/ir/collectives/collectives.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/collectives/process_grid.h"
#include "common/ir/types/literal_integers.h"

namespace acceld::ir {
namespace {

// The attributes and regions of each op; one reader reads them all.
struct Collective {
  absl::string_view name;
  absl::string_view groups;         // the attribute that says which processes take part together
  int num_regions;                  // that combine values
  bool may_have_root;               // has_dynamic_root: the last operand numbers the roots
  absl::string_view dimensions[2];  // attributes that name a dimension of each operand
};
constexpr Collective kCollectives[] = {
    {"stablehlo.all_gather", "replica_groups", 0, false, {"all_gather_dim"}},
    {"stablehlo.all_reduce", "replica_groups", 1, false, {}},
    {"stablehlo.all_to_all", "replica_groups", 0, false, {"concat_dimension", "split_dimension"}},
    {"stablehlo.collective_broadcast", "replica_groups", 0, true, {}},
    {"stablehlo.collective_permute", "source_target_pairs", 0, false, {}},
    {"stablehlo.collective_reduce", "replica_groups", 1, true, {}},
    {"stablehlo.cross-replica-sum", "replica_groups", 0, false, {}},
    {"stablehlo.reduce_scatter", "replica_groups", 1, false, {"scatter_dimension"}},
};

const Collective* Find(absl::string_view name) {
  for (const Collective& collective : kCollectives) {
    if (collective.name == name) return &collective;
  }
  return nullptr;
}

const Attribute* FindAttribute(const ImportedOp& op, absl::string_view name) {
  const auto found = op.attributes.find(std::string(name));
  return found == op.attributes.end() ? nullptr : &found->second;
}

absl::Status Refuse(absl::string_view op, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("op '", op, "': ", why));
}

absl::Status NamesOthers(absl::string_view op, absl::string_view attribute,
                         const Attribute& groups) {
  constexpr int64_t kMostQuoted = 64;
  const auto* list = std::get_if<Literal>(&groups.value);
  const std::string quoted = list != nullptr && list->type().num_elements() > kMostQuoted
                                 ? Type(list->type()).ToString()
                                 : ToString(groups);
  return absl::UnimplementedError(absl::StrCat("op '", op, "': ", attribute, " ", quoted,
                                               " names more than process 0: ", kOneDeviceOnly));
}

// Reads has_dynamic_root, a unit or boolean attribute, which only some ops may have.
absl::StatusOr<bool> HasRoot(const Collective& collective, const ImportedOp& op) {
  bool has_root = false;
  if (const Attribute* flag = FindAttribute(op, "has_dynamic_root")) {
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(*flag, has_root), "has_dynamic_root"));
  }
  if (has_root && !collective.may_have_root) {
    return Refuse(op.name, "unknown attribute 'has_dynamic_root'");
  }
  return has_root;
}

absl::Status CheckAttributeNames(const Collective& collective, const ImportedOp& op) {
  static constexpr absl::string_view kOfAll[] = {"channel_handle", "channel_id",
                                                 "use_global_device_ids", "has_dynamic_root"};
  for (const auto& [name, value] : op.attributes) {
    const bool is_known =
        name == collective.groups || name.find('.') != std::string::npos ||
        std::find(std::begin(kOfAll), std::end(kOfAll), name) != std::end(kOfAll) ||
        std::find(std::begin(collective.dimensions), std::end(collective.dimensions), name) !=
            std::end(collective.dimensions) ||
        (name == "split_count" && op.name == "stablehlo.all_to_all");
    if (!is_known) return Refuse(op.name, absl::StrCat("unknown attribute '", name, "'"));
  }
  return absl::OkStatus();
}

// Checks groups that are a list of lists of processes. They must be empty, which stands for one
// group of all processes, or contain process 0 only.
absl::Status CheckListedGroups(const ImportedOp& op, absl::string_view name,
                               const Attribute& groups, const Literal& list) {
  const Dims& dims = list.type().dims;
  if (dims.size() != 2 || !IsInteger(list.type().dtype)) {
    return Refuse(op.name, absl::StrCat(name, " is a ", Type(list.type()).ToString(),
                                        ", expected a table of integers"));
  }
  if (list.type().num_elements() > 1) return NamesOthers(op.name, name, groups);
  for (const int64_t process : IntegersOf(list)) {
    if (process != 0) return NamesOthers(op.name, name, groups);
  }
  return absl::OkStatus();
}

absl::Status CheckGroups(const ImportedOp& op) {
  constexpr absl::string_view kName = "replica_groups";
  const Attribute* groups = FindAttribute(op, kName);
  if (groups == nullptr) return Refuse(op.name, "expected attribute 'replica_groups'");
  if (const auto* list = std::get_if<Literal>(&groups->value)) {
    return CheckListedGroups(op, kName, *groups, *list);
  }
  const auto* along = std::get_if<StructAttribute>(&groups->value);
  const auto mesh =
      along == nullptr ? AttributeDictionary::const_iterator() : along->fields.find("mesh");
  if (along == nullptr || along->name != "replica_group_mesh_axes" || mesh == along->fields.end()) {
    return Refuse(op.name, absl::StrCat(kName, " is ", ToString(*groups),
                                        ", expected a table of integers or the axes of a mesh"));
  }
  if (std::holds_alternative<SymbolAttribute>(mesh->second.value)) return absl::OkStatus();
  const auto devices = DevicesOfMesh(mesh->second);
  if (!devices.ok()) return Annotate(devices.status(), absl::StrCat("op '", op.name, "'"));
  return *devices == 1 ? absl::OkStatus() : NamesOthers(op.name, kName, *groups);
}

absl::Status CheckDimensions(const Collective& collective, const FunctionBuilder& builder,
                             const ImportedOp& op, absl::Span<const ValueId> operands) {
  for (const absl::string_view name : collective.dimensions) {
    if (name.empty()) continue;
    const Attribute* attribute = FindAttribute(op, name);
    if (attribute == nullptr) {
      return Refuse(op.name, absl::StrCat("expected attribute '", name, "'"));
    }
    int64_t dimension = 0;
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(*attribute, dimension), name));
    for (const ValueId operand : operands) {
      const int64_t rank = builder.TypeOf(operand).tensor().rank();
      if (dimension < 0 || dimension >= rank) {
        return Refuse(op.name, absl::StrCat(name, " is ", dimension, ", expected a dimension of ",
                                            builder.TypeOf(operand).ToString()));
      }
    }
  }
  if (op.name != "stablehlo.all_to_all") return absl::OkStatus();
  int64_t split_count = 0;
  const Attribute* attribute = FindAttribute(op, "split_count");
  if (attribute == nullptr) return Refuse(op.name, "expected attribute 'split_count'");
  ACCELD_RETURN_IF_ERROR(Annotate(ReadField(*attribute, split_count), "split_count"));
  if (split_count == 1) return absl::OkStatus();
  return Refuse(op.name, absl::StrCat("split_count is ", split_count,
                                      ", expected 1, the size of each group"));
}

// Returns the element type that the op's region computes in.
absl::StatusOr<DType> CombinedType(const FunctionBuilder& builder, const ImportedOp& op) {
  const InferContext::RegionSignature region = builder.SignatureOf(op.regions[0]);
  const auto is_scalar = [](const Type& type) {
    return type.IsTensor() && type.tensor().rank() == 0;
  };
  if (region.parameters.size() != 2 || region.results.size() != 1 ||
      !std::all_of(region.parameters.begin(), region.parameters.end(), is_scalar) ||
      region.parameters != std::vector<Type>(2, region.results[0])) {
    return Refuse(op.name, absl::StrCat("its region takes (", ToString(region.parameters),
                                        ") and gives (", ToString(region.results),
                                        "), expected two scalars and their combination"));
  }
  return region.results[0].tensor().dtype;
}

// Combines values of one process: returns them, converted to the type of the combination.
absl::StatusOr<std::vector<ValueId>> CombinedAlone(FunctionBuilder& builder, const ImportedOp& op,
                                                   std::vector<ValueId> values) {
  ACCELD_ASSIGN_OR_RETURN(const DType dtype, CombinedType(builder, op));
  for (ValueId& value : values) {
    TensorType type = builder.TypeOf(value).tensor();
    if (type.dtype == dtype) continue;
    type.dtype = dtype;
    const Type declared = type;
    ACCELD_ASSIGN_OR_RETURN(
        const std::vector<ValueId> converted,
        builder.Add(OpKind::kConvert, {value}, NoAttributes{}, {}, {&declared, 1}, op.location));
    value = converted[0];
  }
  return values;
}

absl::StatusOr<std::vector<ValueId>> Permute(FunctionBuilder& builder, const ImportedOp& op) {
  constexpr absl::string_view kName = "source_target_pairs";
  const Attribute* attribute = FindAttribute(op, kName);
  const auto* pairs = attribute == nullptr ? nullptr : std::get_if<Literal>(&attribute->value);
  if (pairs == nullptr || pairs->type().rank() != 2 || pairs->type().dims[1] != 2 ||
      !IsInteger(pairs->type().dtype)) {
    return Refuse(op.name, "expected source_target_pairs, a table of two columns of integers");
  }
  if (pairs->type().num_elements() > 2) return NamesOthers(op.name, kName, *attribute);
  const std::vector<int64_t> processes = IntegersOf(*pairs);
  if (std::any_of(processes.begin(), processes.end(),
                  [](int64_t process) { return process != 0; })) {
    return NamesOthers(op.name, kName, *attribute);
  }
  if (!processes.empty()) return op.operands;
  // No process sends a value to this one.
  const TensorType type = builder.TypeOf(op.operands[0]).tensor();
  if (!type.IsStatic()) {
    return absl::UnimplementedError(absl::StrCat("op '", op.name, "' without pairs of a ",
                                                 Type(type).ToString(),
                                                 ", whose size is not known"));
  }
  const ValueId zero = builder.Constant(Literal::Zeros({type.dtype, {}}));
  const Type declared = type;
  return builder.Add(OpKind::kBroadcastInDim, {zero}, BroadcastInDimAttributes{}, {},
                     {&declared, 1}, op.location);
}

}  // namespace

bool IsCollective(absl::string_view name) { return Find(name) != nullptr; }

std::vector<absl::string_view> Collectives() {
  std::vector<absl::string_view> names;
  for (const Collective& collective : kCollectives) names.push_back(collective.name);
  return names;
}

const std::string* MeshOfGroups(const ImportedOp& op) {
  const Attribute* groups = FindAttribute(op, "replica_groups");
  const auto* along = groups == nullptr ? nullptr : std::get_if<StructAttribute>(&groups->value);
  if (along == nullptr) return nullptr;
  const auto mesh = along->fields.find("mesh");
  if (mesh == along->fields.end()) return nullptr;
  const auto* symbol = std::get_if<SymbolAttribute>(&mesh->second.value);
  return symbol == nullptr ? nullptr : &symbol->name;
}

absl::StatusOr<std::vector<ValueId>> ReplaceCollective(FunctionBuilder& builder,
                                                       const ImportedOp& op) {
  const Collective& collective = *Find(op.name);
  ACCELD_RETURN_IF_ERROR(CheckAttributeNames(collective, op));
  ACCELD_ASSIGN_OR_RETURN(const bool has_root, HasRoot(collective, op));
  if (op.operands.size() < (has_root ? 2 : 1)) {
    return Refuse(op.name, absl::StrCat(op.operands.size(), " operands are too few"));
  }
  if (static_cast<int>(op.regions.size()) != collective.num_regions) {
    return Refuse(op.name,
                  absl::StrCat(op.regions.size(), " regions, expected ", collective.num_regions));
  }
  for (const ValueId operand : op.operands) {
    if (!builder.TypeOf(operand).IsTensor()) {
      return Refuse(op.name, absl::StrCat("an operand is a ", builder.TypeOf(operand).ToString(),
                                          ", expected tensors"));
    }
  }
  std::vector<ValueId> values = op.operands;
  // The only process of the group is the root, whatever its number.
  if (has_root) values.pop_back();
  ACCELD_RETURN_IF_ERROR(CheckDimensions(collective, builder, op, values));
  if (op.name == "stablehlo.collective_permute") {
    if (values.size() != 1) return Refuse(op.name, "more than one operand");
    return Permute(builder, op);
  }
  ACCELD_RETURN_IF_ERROR(CheckGroups(op));
  if (collective.num_regions == 0) return values;
  return CombinedAlone(builder, op, std::move(values));
}

}  // namespace acceld::ir
