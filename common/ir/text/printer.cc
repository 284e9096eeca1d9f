#include "common/ir/text/printer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/calls/donation.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/text.h"
#include "common/ir/types/literal_text.h"

namespace acceld::ir {
namespace text {
namespace {

std::string SymbolText(const std::string& name) {
  return ToString(Attribute{SymbolAttribute{name}});
}

// A single type has no parentheses.
std::string ResultTypesText(absl::Span<const Type> types) {
  if (types.size() == 1) return types[0].ToString();
  return absl::StrCat("(", ToString(types), ")");
}

// Returns " {...}", or nothing if there are no attributes.
std::string AttributesText(const AttributeDictionary& attributes) {
  if (attributes.empty()) return "";
  return absl::StrCat(" ", ToString(Attribute{DictionaryAttribute{attributes}}));
}

std::string MeshText(const Mesh& mesh) {
  const auto axis_text = [](std::string* out, const MeshAxis& axis) {
    absl::StrAppend(out, QuoteText(axis.name), "=", axis.size);
  };
  std::string text = absl::StrCat("<[", absl::StrJoin(mesh.axes, ", ", axis_text), "]");
  if (!mesh.device_ids.empty()) {
    absl::StrAppend(&text, ", device_ids=[", absl::StrJoin(mesh.device_ids, ", "), "]");
  }
  return text + ">";
}

std::string ShardingsText(absl::Span<const Sharding> shardings, absl::Span<const Mesh> meshes) {
  const auto sharding_text = [&](std::string* out, const Sharding& sharding) {
    *out += ToString(sharding, meshes);
  };
  return absl::StrCat("[", absl::StrJoin(shardings, ", ", sharding_text), "]");
}

// Returns the names of the manual axes. The numbers of axes without a mesh are written as "#3".
std::string ManualAxesText(const ManualComputationAttributes& attributes,
                           absl::Span<const Mesh> meshes) {
  const std::vector<Sharding>& shardings =
      attributes.in_shardings.empty() ? attributes.out_shardings : attributes.in_shardings;
  const int64_t number = shardings.empty() ? -1 : shardings[0].mesh;
  const bool is_known = number >= 0 && number < static_cast<int64_t>(meshes.size());
  const Mesh no_mesh;
  const Mesh& mesh = is_known ? meshes[static_cast<size_t>(number)] : no_mesh;
  const auto axis_text = [&](std::string* out, int64_t axis) {
    const bool has_name = axis >= 0 && axis < static_cast<int64_t>(mesh.axes.size());
    *out +=
        has_name ? QuoteText(mesh.axes[static_cast<size_t>(axis)].name) : absl::StrCat("#", axis);
  };
  return absl::StrCat("{", absl::StrJoin(attributes.manual_axes, ", ", axis_text), "}");
}

// Adds the shardings of parameters or results to their attributes. There may be none at all.
void AddShardings(absl::Span<const std::optional<Sharding>> shardings,
                  absl::Span<const Mesh> meshes, std::vector<AttributeDictionary>& attributes) {
  for (size_t i = 0; i < std::min(shardings.size(), attributes.size()); ++i) {
    if (!shardings[i].has_value()) continue;
    attributes[i]["sdy.sharding"].value =
        OpaqueAttribute{absl::StrCat("#sdy.sharding", ToString(*shardings[i], meshes))};
  }
}

std::string GridText(const ProcessGrid& grid) {
  const auto number = [](int64_t value) { return Attribute{IntegerAttribute{value, DType::kI32}}; };
  return ToString(
      Attribute{DictionaryAttribute{{{"mhlo.num_partitions", number(grid.num_partitions)},
                                     {"mhlo.num_replicas", number(grid.num_replicas)}}}});
}

}  // namespace

void FunctionPrinter::NameResults(const Op& op) {
  if (op.results.empty()) return;
  const std::string name = absl::StrCat("%", next_name_++);
  out_ += name;
  if (op.results.size() == 1) {
    names_[op.results[0]] = name;
  } else {
    absl::StrAppend(&out_, ":", op.results.size());
    for (size_t i = 0; i < op.results.size(); ++i) {
      names_[op.results[i]] = absl::StrCat(name, "#", i);
    }
  }
  out_ += " = ";
}

void FunctionPrinter::NameParameters(const Region& region) {
  for (const ValueId id : region.parameters) names_[id] = absl::StrCat("%", next_name_++);
}

void FunctionPrinter::Values(absl::Span<const ValueId> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppend(&out_, i == 0 ? "" : ", ", names_[values[i]]);
  }
}

void FunctionPrinter::Parameters(const Region& region,
                                 absl::Span<const AttributeDictionary> attributes) {
  for (size_t i = 0; i < region.parameters.size(); ++i) {
    const ValueId id = region.parameters[i];
    absl::StrAppend(&out_, i == 0 ? "" : ", ", names_[id], ": ", function_.TypeOf(id).ToString());
    if (i < attributes.size()) out_ += AttributesText(attributes[i]);
  }
}

void FunctionPrinter::FunctionResults() {
  const std::vector<Type> types = function_.ResultTypes();
  if (types.empty()) return;
  out_ += " -> ";
  std::vector<AttributeDictionary> attributes(types.size());
  AddShardings(function_.result_shardings, meshes_, attributes);
  const auto is_empty = [](const AttributeDictionary& a) { return a.empty(); };
  if (std::all_of(attributes.begin(), attributes.end(), is_empty)) {
    out_ += ResultTypesText(types);
    return;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&out_, i == 0 ? "(" : ", ", types[i].ToString(), AttributesText(attributes[i]));
  }
  out_ += ')';
}

void FunctionPrinter::Signature(const Op& op) {
  absl::StrAppend(&out_, " : (", ToString(function_.TypesOf(op.operands)), ") -> ",
                  ResultTypesText(function_.TypesOf(op.results)));
}

void FunctionPrinter::Print(int indent) {
  Indent(indent);
  absl::StrAppend(&out_, "func.func ", function_.is_public ? "public " : "private ",
                  SymbolText(function_.name), "(");
  NameParameters(function_.body);
  std::vector<AttributeDictionary> attributes(function_.body.parameters.size());
  for (const Donation& donation : function_.donations) {
    if (donation.parameter >= attributes.size()) continue;
    attributes[donation.parameter] = DonationAttributes(donation);
  }
  AddShardings(function_.parameter_shardings, meshes_, attributes);
  Parameters(function_.body, attributes);
  out_ += ")";
  FunctionResults();
  out_ += " {\n";
  PrintOps(function_.body, "return", indent + 1);
  Indent(indent);
  out_ += "}\n";
}

void FunctionPrinter::PrintOps(const Region& region, absl::string_view terminator, int indent) {
  for (const Op& op : region.ops) PrintOp(op, indent);
  Indent(indent);
  absl::StrAppend(&out_, terminator);
  if (!region.results.empty()) {
    out_ += ' ';
    Values(region.results);
    absl::StrAppend(&out_, " : ", ToString(function_.TypesOf(region.results)));
  }
  out_ += '\n';
}

void FunctionPrinter::PrintOp(const Op& op, int indent) {
  Indent(indent);
  NameResults(op);
  if (op.kind == OpKind::kManualComputation && op.regions.size() == 1) {
    PrintManualComputation(op, indent);
  } else if (!PrintPrettyForm(*this, op)) {
    PrintGeneric(op, indent);
  }
  out_ += '\n';
}

void FunctionPrinter::PrintGeneric(const Op& op, int indent) {
  absl::StrAppend(&out_, "\"", NameOf(op.kind), "\"(");
  Values(op.operands);
  out_ += ')';
  AttributeDictionary properties = GenericProperties(op);
  if (!properties.empty()) {
    absl::StrAppend(&out_, " <", ToString(Attribute{DictionaryAttribute{std::move(properties)}}),
                    ">");
  }
  for (size_t i = 0; i < op.regions.size(); ++i) {
    out_ += i == 0 ? " (" : ", ";
    PrintRegion(op.regions[i], indent);
  }
  if (!op.regions.empty()) out_ += ')';
  Signature(op);
}

void FunctionPrinter::PrintManualComputation(const Op& op, int indent) {
  const auto& attributes = op.As<ManualComputationAttributes>();
  absl::StrAppend(&out_, NameOf(op.kind), "(");
  Values(op.operands);
  absl::StrAppend(&out_, ") in_shardings=", ShardingsText(attributes.in_shardings, meshes_),
                  " out_shardings=", ShardingsText(attributes.out_shardings, meshes_),
                  " manual_axes=", ManualAxesText(attributes, meshes_), " (");
  const Region& region = op.regions[0];
  NameParameters(region);
  Parameters(region, {});
  out_ += ") {\n";
  PrintOps(region, "sdy.return", indent + 1);
  Indent(indent);
  out_ += '}';
  Signature(op);
}

void FunctionPrinter::PrintRegion(const Region& region, int indent) {
  out_ += "{\n";
  if (!region.parameters.empty()) {
    NameParameters(region);
    Indent(indent);
    out_ += "^bb0(";
    Parameters(region, {});
    out_ += "):\n";
  }
  PrintOps(region, "stablehlo.return", indent + 1);
  Indent(indent);
  out_ += '}';
}

}  // namespace text

std::string PrintFunction(const Function& function) {
  std::string out;
  text::FunctionPrinter(function, {}, out).Print(0);
  return out;
}

std::string PrintModule(const Module& module) {
  std::string out = "module ";
  if (!module.name.empty()) absl::StrAppend(&out, text::SymbolText(module.name), " ");
  if (module.grid != ProcessGrid()) {
    absl::StrAppend(&out, "attributes ", text::GridText(module.grid), " ");
  }
  out += "{\n";
  for (const Mesh& mesh : module.meshes) {
    absl::StrAppend(&out, "  sdy.mesh ", text::SymbolText(mesh.name), " = ", text::MeshText(mesh),
                    "\n");
  }
  for (const Function& function : module.functions) {
    text::FunctionPrinter(function, module.meshes, out).Print(1);
  }
  out += "}\n";
  return out;
}

}  // namespace acceld::ir
