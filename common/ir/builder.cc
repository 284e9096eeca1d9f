#include "common/ir/builder.h"

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::ir {

FunctionBuilder::FunctionBuilder(std::string name, bool is_public) {
  function_.name = std::move(name);
  function_.is_public = is_public;
  open_regions_.emplace_back();
}

ValueId FunctionBuilder::NewValue(Type type) {
  function_.value_types.push_back(std::move(type));
  return static_cast<ValueId>(function_.value_types.size() - 1);
}

ValueId FunctionBuilder::AddParameter(Type type) {
  const ValueId id = NewValue(std::move(type));
  open_regions_.front().parameters.push_back(id);
  return id;
}

absl::StatusOr<std::vector<ValueId>> FunctionBuilder::Add(
    OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
    std::vector<Region> regions, absl::Span<const Type> declared, Location location,
    const InferContext::RegionSignature* callee) {
  for (ValueId id : operands) {
    if (id >= function_.value_types.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(NameOf(kind), ": operand ", id, " is not a value of this function"));
    }
  }
  const std::vector<Type> operand_types = function_.TypesOf(operands);
  std::vector<InferContext::RegionSignature> signatures;
  for (const Region& region : regions) signatures.push_back(SignatureOf(region));
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, InferResultTypes({.kind = kind,
                                                                     .attributes = attributes,
                                                                     .operands = operand_types,
                                                                     .regions = signatures,
                                                                     .declared = declared,
                                                                     .callee = callee}));
  if (!declared.empty()) {
    ACCELD_RETURN_IF_ERROR(CheckDeclaredTypes(kind, declared, types));
    types.assign(declared.begin(), declared.end());
  }
  return AddUnchecked(kind, std::move(operands), std::move(attributes), std::move(regions), types,
                      location);
}

absl::StatusOr<ValueId> FunctionBuilder::AddOne(OpKind kind, std::vector<ValueId> operands,
                                                OpAttributes attributes,
                                                absl::Span<const Type> declared,
                                                Location location) {
  ACCELD_ASSIGN_OR_RETURN(
      const std::vector<ValueId> results,
      Add(kind, std::move(operands), std::move(attributes), {}, declared, location));
  if (results.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(NameOf(kind), ": one result expected, but it has ", results.size()));
  }
  return results[0];
}

ValueId FunctionBuilder::Constant(Literal value) {
  const Type type = value.type();
  return AddUnchecked(OpKind::kConstant, {}, ConstantAttributes{std::move(value)}, {}, {&type, 1})
      .front();
}

std::vector<ValueId> FunctionBuilder::AddUnchecked(OpKind kind, std::vector<ValueId> operands,
                                                   OpAttributes attributes,
                                                   std::vector<Region> regions,
                                                   absl::Span<const Type> result_types,
                                                   Location location) {
  std::vector<ValueId> results;
  results.reserve(result_types.size());
  for (const Type& type : result_types) results.push_back(NewValue(type));
  open_regions_.back().ops.push_back(Op{.kind = kind,
                                        .attributes = std::move(attributes),
                                        .operands = std::move(operands),
                                        .results = results,
                                        .regions = std::move(regions),
                                        .location = location});
  return results;
}

namespace {

std::vector<ValueId> Mapped(const std::vector<ValueId>& ids,
                            const absl::flat_hash_map<ValueId, ValueId>& value_map) {
  std::vector<ValueId> mapped;
  mapped.reserve(ids.size());
  for (ValueId id : ids) {
    const auto found = value_map.find(id);
    ACCELD_CHECK(found != value_map.end());
    mapped.push_back(found->second);
  }
  return mapped;
}

}  // namespace

void FunctionBuilder::Clone(const Op& op, const Function& source,
                            absl::flat_hash_map<ValueId, ValueId>& value_map) {
  std::vector<Region> regions;
  regions.reserve(op.regions.size());
  for (const Region& region : op.regions) {
    regions.push_back(CloneRegion(region, source, value_map));
  }
  const std::vector<ValueId> results =
      AddUnchecked(op.kind, Mapped(op.operands, value_map), op.attributes, std::move(regions),
                   source.TypesOf(op.results), op.location);
  for (size_t i = 0; i < results.size(); ++i) value_map[op.results[i]] = results[i];
}

// Recurses as deep as regions nest, which the verifier bounds.
Region FunctionBuilder::CloneRegion(const Region& region, const Function& source,
                                    absl::flat_hash_map<ValueId, ValueId>& value_map) {
  const std::vector<ValueId> parameters = BeginRegion(source.TypesOf(region.parameters));
  for (size_t i = 0; i < parameters.size(); ++i) value_map[region.parameters[i]] = parameters[i];
  for (const Op& op : region.ops) Clone(op, source, value_map);
  return EndRegion(Mapped(region.results, value_map));
}

std::vector<ValueId> FunctionBuilder::BeginRegion(absl::Span<const Type> parameter_types) {
  std::vector<ValueId> parameters;
  parameters.reserve(parameter_types.size());
  for (const Type& type : parameter_types) parameters.push_back(NewValue(type));
  open_regions_.emplace_back().parameters = parameters;
  return parameters;
}

Region FunctionBuilder::EndRegion(std::vector<ValueId> results) {
  ACCELD_CHECK(open_regions_.size() > 1);
  Region region = std::move(open_regions_.back());
  open_regions_.pop_back();
  region.results = std::move(results);
  return region;
}

InferContext::RegionSignature FunctionBuilder::SignatureOf(const Region& region) const {
  return {function_.TypesOf(region.parameters), function_.TypesOf(region.results)};
}

Function FunctionBuilder::Finish(std::vector<ValueId> results) {
  ACCELD_CHECK(open_regions_.size() == 1);
  function_.body = std::move(open_regions_.front());
  function_.body.results = std::move(results);
  open_regions_.clear();
  return std::move(function_);
}

}  // namespace acceld::ir
