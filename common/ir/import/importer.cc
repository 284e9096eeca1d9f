#include "common/ir/import/importer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/import/inlined_ops.h"
#include "common/ir/quantization/formulas.h"
#include "common/ir/quantization/quantized_types.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/memory_size.h"

namespace acceld::ir {
namespace {

bool IsUniform(absl::string_view name) {
  return std::find(std::begin(kUniformOps), std::end(kUniformOps), name) != std::end(kUniformOps);
}

bool IsConstraint(absl::string_view name) { return name == NameOf(OpKind::kShardingConstraint); }

std::vector<Type> StorageTypesOf(absl::Span<const Type> types) {
  std::vector<Type> all;
  all.reserve(types.size());
  for (const Type& type : types) all.push_back(StorageTypeOf(type));
  return all;
}

}  // namespace

absl::StatusOr<Module> ImportTotals::Finish(Module module) const {
  ACCELD_RETURN_IF_ERROR(signatures.Check());
  return distribution.Finish(std::move(module));
}

Importer::Importer(std::string name, bool is_public, ImportTotals& totals)
    : builder_(std::move(name), is_public), totals_(totals) {}

absl::Status Importer::Charge(absl::Span<const Type> types) {
  for (const Type& type : types) {
    ACCELD_RETURN_IF_ERROR(Charge(type.elements()));
    if (!type.IsQuantized()) continue;
    const Quantization& quantization = type.quantization();
    const auto bytes = static_cast<int64_t>(quantization.scales.size() * sizeof(double) +
                                            quantization.zero_points.size() * sizeof(int64_t));
    ACCELD_RETURN_IF_ERROR(totals_.budget.Charge(bytes, "the scales of a quantized type"));
    totals_.constant_bytes += bytes;
    if (totals_.constant_bytes > limits::kMaxProgramBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the program's constants, scales and zero points take more than ",
                       limits::kMaxProgramBytes, " bytes"));
    }
  }
  return absl::OkStatus();
}

void Importer::Declare(ValueId id, const Type& type) {
  if (HasQuantized(type)) quantized_.insert_or_assign(id, type);
}

ValueId Importer::AddParameter(const Type& type) {
  const ValueId id = builder_.AddParameter(StorageTypeOf(type));
  Declare(id, type);
  return id;
}

std::vector<ValueId> Importer::BeginRegion(absl::Span<const Type> parameter_types) {
  std::vector<ValueId> ids = builder_.BeginRegion(StorageTypesOf(parameter_types));
  for (size_t i = 0; i < ids.size(); ++i) Declare(ids[i], parameter_types[i]);
  return ids;
}

Region Importer::EndRegion(std::vector<ValueId> results) {
  return builder_.EndRegion(std::move(results));
}

const Type& Importer::TypeOf(ValueId id) const {
  const auto found = quantized_.find(id);
  return found != quantized_.end() ? found->second : builder_.TypeOf(id);
}

std::vector<Type> Importer::TypesOf(absl::Span<const ValueId> ids) const {
  std::vector<Type> types;
  types.reserve(ids.size());
  for (const ValueId id : ids) types.push_back(TypeOf(id));
  return types;
}

InferContext::RegionSignature Importer::SignatureOf(const Region& region) const {
  return {TypesOf(region.parameters), TypesOf(region.results)};
}

Function Importer::Finish(std::vector<ValueId> results) {
  return builder_.Finish(std::move(results));
}

absl::Status Importer::NoteCall(const ImportedOp& op) {
  const absl::optional<OpKind> kind = FindOp(op.name);
  if (kind != OpKind::kCall && kind != OpKind::kComposite) return absl::OkStatus();
  ACCELD_ASSIGN_OR_RETURN(const OpAttributes attributes, FromDictionary(*kind, op.attributes));
  const FunctionName& callee = *kind == OpKind::kCall
                                   ? std::get<CallAttributes>(attributes).callee
                                   : std::get<CompositeAttributes>(attributes).decomposition;
  totals_.signatures.Use(callee.name, TypesOf(op.operands), op.result_types);
  return absl::OkStatus();
}

absl::Status Importer::ChargeUses(absl::Span<const ValueId> ids, absl::string_view what) {
  for (const ValueId id : ids) {
    ACCELD_RETURN_IF_ERROR(totals_.budget.Charge(MemoryBytesOf(builder_.TypeOf(id)), what));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ValueId>> Importer::Import(ImportedOp& op) {
  const std::string name = op.name;
  ACCELD_RETURN_IF_ERROR(ChargeUses(op.operands, name));
  const size_t first_made = builder_.function().value_types.size();
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, Append(op));
  // One op may become many ops, but each kind of op has a fixed limit.
  const std::vector<Type>& types = builder_.function().value_types;
  int64_t bytes = first_made == types.size() ? kOpBytes : 0;
  for (size_t i = first_made; i < types.size(); ++i) bytes += kOpBytes + MemoryBytesOf(types[i]);
  ACCELD_RETURN_IF_ERROR(totals_.budget.Charge(bytes, name));
  return results;
}

absl::Status Importer::CheckInlined(const ImportedOp& op, absl::Span<const Type> parameters) const {
  const std::vector<Type> operands = TypesOf(op.operands);
  if (parameters == absl::MakeConstSpan(operands)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("op '", op.name, "' is of (", ToString(operands),
                                                 "), its region takes (", ToString(parameters),
                                                 ")"));
}

absl::StatusOr<std::vector<ValueId>> Importer::ImportInlined(ImportedOp& op,
                                                             std::vector<ValueId> returned) {
  if (op.name == "stablehlo.async_start") {
    // A future is a tuple of its values.
    op.name = std::string(NameOf(OpKind::kTuple));
    op.operands = std::move(returned);
    return Import(op);
  }
  ACCELD_RETURN_IF_ERROR(ChargeUses(returned, op.name));
  const std::vector<Type> types = TypesOf(returned);
  if (types == op.result_types) return returned;
  return absl::InvalidArgumentError(absl::StrCat("op '", op.name, "' gives (",
                                                 ToString(op.result_types),
                                                 "), its region returns (", ToString(types), ")"));
}

absl::StatusOr<std::vector<ValueId>> Importer::ImportAsyncDone(const ImportedOp& op) {
  const std::vector<Type> operands = TypesOf(op.operands);
  if (operands.size() != 1 || operands[0].kind() != Type::Kind::kTuple || !op.regions.empty() ||
      operands[0].elements() != op.result_types) {
    return absl::InvalidArgumentError(absl::StrCat(
        "op '", op.name, "' gives (", ToString(op.result_types),
        "), which is not what its operands, (", ToString(operands), "), are futures of"));
  }
  std::vector<ValueId> results;
  for (size_t i = 0; i < op.result_types.size(); ++i) {
    ImportedOp part{std::string(NameOf(OpKind::kGetTupleElement)),
                    op.operands,
                    {{"index", {IntegerAttribute{static_cast<int64_t>(i), DType::kI32}}}},
                    {},
                    {op.result_types[i]},
                    op.location};
    ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> values, Import(part));
    results.push_back(values[0]);
  }
  return results;
}

absl::StatusOr<std::vector<ValueId>> Importer::Append(ImportedOp& op) {
  if (op.name == kAsyncDone) return ImportAsyncDone(op);
  ACCELD_RETURN_IF_ERROR(totals_.distribution.Prepare(op, builder_.function().name));
  if (op.name == kUnchangedOp) return op.operands;
  if (IsConstraint(op.name) && IsScalar(op.operands)) {
    ShardingConstraintAttributes constraint;
    ACCELD_RETURN_IF_ERROR(ReadStruct(op.attributes.at("sharding"), constraint.sharding));
    if (constraint.sharding.unreduced.empty()) return op.operands;
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings,
                          totals_.distribution.ShardingsOfResults(op));
  const std::string name = op.name;
  const Location location = op.location;
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, AppendPrepared(op));
  // An op without results has one sharding, which says where it runs.
  if (shardings.empty() || (results.empty() && shardings.size() == 1)) return results;
  if (shardings.size() != results.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "op '", name, "' has ", results.size(), " results and ", shardings.size(), " shardings"));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const bool says_nothing = IsScalar({results[i]}) && shardings[i].unreduced.empty();
    if (!builder_.TypeOf(results[i]).IsTensor() || says_nothing) continue;
    const Type declared = TypeOf(results[i]);
    const Type stored = builder_.TypeOf(results[i]);
    results[i] = builder_.AddUnchecked(OpKind::kShardingConstraint, {results[i]},
                                       ShardingConstraintAttributes{shardings[i]}, {}, {&stored, 1},
                                       location)[0];
    Declare(results[i], declared);
  }
  return results;
}

absl::StatusOr<std::vector<ValueId>> Importer::AppendPrepared(ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(NoteCall(op));
  if (op.name == NameOf(OpKind::kManualComputation)) return ImportManualComputation(op);
  const auto is_quantized = [this](ValueId id) { return quantized_.contains(id); };
  const auto any_quantized = [&](const std::vector<ValueId>& ids) {
    return std::any_of(ids.begin(), ids.end(), is_quantized);
  };
  const auto has_quantized = [&](const Region& region) {
    return any_quantized(region.parameters) || any_quantized(region.results);
  };
  if (IsUniform(op.name) || HasQuantized(op.result_types) || any_quantized(op.operands) ||
      std::any_of(op.regions.begin(), op.regions.end(), has_quantized)) {
    return ImportQuantized(op);
  }
  return ImportOp(builder_, op);
}

absl::StatusOr<std::vector<ValueId>> Importer::ImportManualComputation(ImportedOp& op) {
  const std::vector<Type> declared = op.result_types;
  ACCELD_RETURN_IF_ERROR(Charge(declared));
  op.result_types = StorageTypesOf(declared);
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ImportOp(builder_, op));
  for (size_t i = 0; i < results.size(); ++i) Declare(results[i], declared[i]);
  return results;
}

absl::StatusOr<std::vector<ValueId>> Importer::ImportQuantized(ImportedOp& op) {
  for (const Type& type : op.result_types) {
    ACCELD_RETURN_IF_ERROR(Annotate(ValidateType(type), absl::StrCat("op '", op.name, "'")));
  }
  TypedOp typed{op, TypesOf(op.operands), {}};
  ACCELD_RETURN_IF_ERROR(Charge(typed.operands));
  ACCELD_RETURN_IF_ERROR(Charge(op.result_types));
  for (const Region& region : op.regions) {
    typed.regions.push_back(SignatureOf(region));
    ACCELD_RETURN_IF_ERROR(Charge(typed.regions.back().parameters));
    ACCELD_RETURN_IF_ERROR(Charge(typed.regions.back().results));
  }
  if (IsUniform(op.name)) return ImportUniform(op);
  return RunsOnStorage(typed) ? ImportOnStorage(op, typed) : ImportOnReals(op);
}

absl::StatusOr<std::vector<ValueId>> Importer::ImportOnStorage(ImportedOp& op,
                                                               const TypedOp& typed) {
  ACCELD_RETURN_IF_ERROR(CheckQuantizations(typed));
  const std::vector<Type> declared = op.result_types;
  op.result_types = StorageTypesOf(declared);
  // compare_type refers to the real numbers.
  if (op.name == "stablehlo.compare") op.attributes.erase("compare_type");
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ImportOp(builder_, op));
  for (size_t i = 0; i < results.size(); ++i) Declare(results[i], declared[i]);
  return results;
}

absl::StatusOr<std::vector<ValueId>> Importer::ImportOnReals(ImportedOp& op) {
  const std::vector<Type> declared = op.result_types;
  for (ValueId& id : op.operands) id = Reals(id, op.location);
  for (Type& type : op.result_types) type = ExpressedTypeOf(type);
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ImportOp(builder_, op));
  for (size_t i = 0; i < results.size(); ++i) {
    if (!declared[i].IsQuantized()) continue;
    results[i] = Quantize(builder_, results[i], declared[i].quantization(), op.location);
    Declare(results[i], declared[i]);
  }
  return results;
}

// The operand of uniform_quantize is real or quantized in another way.
absl::StatusOr<std::vector<ValueId>> Importer::ImportUniform(const ImportedOp& op) {
  const bool quantizes = op.name == "stablehlo.uniform_quantize";
  const std::vector<Type> operands = TypesOf(op.operands);
  const auto refuse = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("op '", op.name, "' goes from ", quantizes ? "reals" : "a quantized tensor",
                     " to ", quantizes ? "a quantized tensor" : "the reals that it stands for",
                     " of the same shape, not from (", ToString(operands), ") to (",
                     ToString(op.result_types), ")"));
  };
  if (operands.size() != 1 || op.result_types.size() != 1 || !op.regions.empty() ||
      op.result_types[0].IsQuantized() != quantizes || (!quantizes && !operands[0].IsQuantized()) ||
      !IsCompatible(ExpressedTypeOf(operands[0]), ExpressedTypeOf(op.result_types[0]))) {
    return refuse();
  }
  const Type& declared = op.result_types[0];
  ValueId result = Reals(op.operands[0], op.location);
  if (quantizes) result = Quantize(builder_, result, declared.quantization(), op.location);
  if (builder_.TypeOf(result) != StorageTypeOf(declared)) return refuse();
  Declare(result, declared);
  return std::vector<ValueId>{result};
}

bool Importer::IsScalar(absl::Span<const ValueId> ids) const {
  return ids.size() == 1 && builder_.TypeOf(ids[0]).IsTensor() &&
         builder_.TypeOf(ids[0]).tensor().rank() == 0;
}

ValueId Importer::Reals(ValueId id, Location location) {
  const Type& type = TypeOf(id);
  return type.IsQuantized() ? Dequantize(builder_, id, type.quantization(), location) : id;
}

}  // namespace acceld::ir
