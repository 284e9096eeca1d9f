#include "common/ir/collectives/process_grid.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/calls/sharding_targets.h"
#include "common/ir/collectives/collectives.h"

namespace acceld::ir {
namespace {

const AttributeDictionary* FieldsOf(const Attribute& attribute, absl::string_view name) {
  if (const auto* named = std::get_if<StructAttribute>(&attribute.value)) {
    // In text the name is absent where only one kind of structure is possible.
    return named->name == name || named->name.empty() ? &named->fields : nullptr;
  }
  const auto* dictionary = std::get_if<DictionaryAttribute>(&attribute.value);
  return dictionary == nullptr ? nullptr : &dictionary->entries;
}

absl::Status ReadSize(const AttributeDictionary& attributes, const std::string& name, int64_t& to) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(Annotate(ReadField(found->second, to), name));
  if (to >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", to, ", expected at least 1"));
}

// Whether the op, which is not a collective, depends on which of several processes runs it.
bool DependsOnProcessId(const ImportedOp& op) {
  if (op.name == "stablehlo.partition_id" || op.name == "stablehlo.replica_id") return true;
  const auto target = op.attributes.find("call_target_name");
  if (op.name != "stablehlo.custom_call" || target == op.attributes.end()) return false;
  const auto* name = std::get_if<StringAttribute>(&target->second.value);
  return name != nullptr && IsShardShapeTarget(name->value);
}

}  // namespace

int64_t SaturatingProduct(int64_t a, int64_t b) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  return a > most / b ? most : a * b;
}

absl::StatusOr<int64_t> DevicesOfMesh(const Attribute& mesh) {
  const auto wrong = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a mesh with named axes, found ", ToString(mesh)));
  };
  const AttributeDictionary* fields = FieldsOf(mesh, "mesh");
  if (fields == nullptr) return wrong();
  const auto axes = fields->find("axes");
  if (axes == fields->end()) return wrong();
  int64_t devices = 1;
  // The reader of text gives a list without elements as an empty list of integers.
  if (const auto* none = std::get_if<DenseArrayAttribute>(&axes->second.value)) {
    return none->values.empty() ? absl::StatusOr<int64_t>(devices) : wrong();
  }
  const auto* list = std::get_if<ArrayAttribute>(&axes->second.value);
  if (list == nullptr) return wrong();
  for (const Attribute& axis : list->elements) {
    const AttributeDictionary* axis_fields = FieldsOf(axis, "mesh_axis");
    const auto size =
        axis_fields == nullptr ? AttributeDictionary::const_iterator() : axis_fields->find("size");
    if (axis_fields == nullptr || size == axis_fields->end()) return wrong();
    int64_t count = 0;
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(size->second, count), "size of an axis"));
    if (count < 1) return wrong();
    devices = SaturatingProduct(devices, count);
  }
  return devices;
}

absl::Status ProcessGrid::SetSizes(const AttributeDictionary& module_attributes) {
  ACCELD_RETURN_IF_ERROR(ReadSize(module_attributes, "mhlo.num_replicas", num_replicas_));
  return ReadSize(module_attributes, "mhlo.num_partitions", num_partitions_);
}

void ProcessGrid::DeclareMesh(std::string name, int64_t num_devices) {
  meshes_.insert_or_assign(std::move(name), num_devices);
}

void ProcessGrid::NoteOp(const ImportedOp& op, absl::string_view function) {
  const bool is_collective = IsCollective(op.name);
  if (is_collective) {
    if (const std::string* mesh = MeshOfGroups(op)) NoteMesh(*mesh, op.name, function);
  }
  if (!first_user_.empty() || !(is_collective || DependsOnProcessId(op))) return;
  first_user_ = absl::StrCat("@", function, ": op '", op.name, "'");
}

void ProcessGrid::NoteMesh(absl::string_view mesh, absl::string_view op,
                           absl::string_view function) {
  const auto is_it = [&](const MeshUse& use) { return use.mesh == mesh; };
  if (std::any_of(mesh_uses_.begin(), mesh_uses_.end(), is_it)) return;
  mesh_uses_.push_back({std::string(mesh), absl::StrCat("@", function, ": op '", op, "'")});
}

absl::Status ProcessGrid::Check() const {
  for (const MeshUse& use : mesh_uses_) {
    const auto mesh = meshes_.find(use.mesh);
    if (mesh == meshes_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(use.user, ": the module has no mesh @", use.mesh));
    }
    if (mesh->second != 1) {
      const std::string number =
          mesh->second == kUnknownSize ? "unknown number of" : absl::StrCat(mesh->second);
      return absl::UnimplementedError(absl::StrCat(
          use.user, " is for the ", number, " devices of mesh @", use.mesh, ": ", kOneDeviceOnly));
    }
  }
  if (first_user_.empty() || SaturatingProduct(num_replicas_, num_partitions_) == 1) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      first_user_, " means one process of ", num_replicas_, " replicas and ", num_partitions_,
      " partitions (mhlo.num_replicas, mhlo.num_partitions): ", kOneDeviceOnly));
}

}  // namespace acceld::ir
