#include "common/ir/text/printer.h"

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/calls/donation.h"
#include "common/ir/text.h"

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

void FunctionPrinter::Parameters(const Region& region, absl::Span<const Donation> donations) {
  for (size_t i = 0; i < region.parameters.size(); ++i) {
    const ValueId id = region.parameters[i];
    absl::StrAppend(&out_, i == 0 ? "" : ", ", names_[id], ": ", function_.TypeOf(id).ToString());
    if (donations.empty() || donations.front().parameter != i) continue;
    absl::StrAppend(
        &out_, " ",
        ToString(Attribute{DictionaryAttribute{DonationAttributes(donations.front())}}));
    donations.remove_prefix(1);
  }
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
  Parameters(function_.body, function_.donations);
  out_ += ")";
  if (!function_.body.results.empty()) {
    absl::StrAppend(&out_, " -> ", ResultTypesText(function_.ResultTypes()));
  }
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
  if (!PrintPrettyForm(*this, op)) PrintGeneric(op, indent);
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
  text::FunctionPrinter(function, out).Print(0);
  return out;
}

std::string PrintModule(const Module& module) {
  std::string out = "module ";
  if (!module.name.empty()) absl::StrAppend(&out, text::SymbolText(module.name), " ");
  out += "{\n";
  for (const Function& function : module.functions) text::FunctionPrinter(function, out).Print(1);
  out += "}\n";
  return out;
}

}  // namespace acceld::ir
