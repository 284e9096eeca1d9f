#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/ir/emitter.h"
#include "server/compiler/decompose/decomposition.h"

// Source: StableHLO specification, "map". A region of elementwise ops is lifted to the shape of the
// operands; any other runs in a loop over the elements.
namespace acceld::compiler {
namespace {

using ir::OpKind;
using ir::ValueId;
using ValueMap = absl::flat_hash_map<ValueId, ValueId>;

bool IsScalar(const ir::Type& type) { return type.IsTensor() && type.tensor().dims.empty(); }

bool IsElementwise(const ir::Function& function, const ir::Region& region) {
  for (const ir::Op& op : region.ops) {
    if (op.kind != OpKind::kConstant && ir::FamilyOf(op.kind) != ir::OpFamily::kElementwise) {
      return false;
    }
    for (ValueId id : op.operands) {
      if (!IsScalar(function.TypeOf(id))) return false;
    }
    if (!IsScalar(function.TypeOf(op.results[0]))) return false;
  }
  return true;
}

// Appends to `captured` the values that a region or a region inside it uses and neither defines.
void FindCaptured(const ir::Region& region, absl::flat_hash_set<ValueId>& defined,
                  std::vector<ValueId>& captured) {
  const auto use = [&](ValueId id) {
    if (defined.insert(id).second) captured.push_back(id);
  };
  defined.insert(region.parameters.begin(), region.parameters.end());
  for (const ir::Op& op : region.ops) {
    for (ValueId id : op.operands) use(id);
    for (const ir::Region& inner : op.regions) FindCaptured(inner, defined, captured);
    defined.insert(op.results.begin(), op.results.end());
  }
  for (ValueId id : region.results) use(id);
}

DecompositionResult Lift(Decomposition& d, ValueMap values) {
  const ir::Region& region = d.op().regions[0];
  const ir::Dims& dims = d.ResultType(0).dims;
  ir::Emitter e = d.Emit();
  for (auto& [outer, value] : values) {
    if (e.TypeOf(value).dims != dims) value = e.Broadcast(value, dims);
  }
  for (size_t i = 0; i < region.parameters.size(); ++i) {
    values[region.parameters[i]] = d.operand(i);
  }
  for (const ir::Op& op : region.ops) {
    const ir::TensorType type{d.function().TensorOf(op.results[0]).dtype, dims};
    if (op.kind == OpKind::kConstant) {
      ACCELD_ASSIGN_OR_RETURN(
          ir::Literal splat,
          ir::Literal::FromBytes(type, op.As<ir::ConstantAttributes>().value.DenseBytes()));
      values[op.results[0]] = d.builder().Constant(std::move(splat));
      continue;
    }
    std::vector<ValueId> operands;
    for (ValueId id : op.operands) operands.push_back(values[id]);
    values[op.results[0]] = e.Op(op.kind, std::move(operands), op.attributes, &type);
  }
  return e.Results({values[region.results[0]]});
}

// i = 0; while (i < n) { result[i] = region(operands[i]...); ++i; }
DecompositionResult Loop(Decomposition& d, ValueMap values) {
  const ir::Region& region = d.op().regions[0];
  const ir::TensorType& result_type = d.ResultType(0);
  const ir::TensorType index{ir::DType::kI64, {}};
  const ir::TensorType flat{result_type.dtype, {result_type.num_elements()}};
  ir::FunctionBuilder& b = d.builder();
  ir::Emitter e = d.Emit();
  if (result_type.num_elements() == 0) return e.Results({e.Constant(result_type, 0)});
  std::vector<ValueId> operands;
  for (size_t i = 0; i < d.op().operands.size(); ++i) {
    operands.push_back(e.Reshape(d.operand(i), flat.dims));
  }
  const ValueId zero = e.Constant(index, 0), empty = e.Constant(flat, 0);
  std::vector<ir::Region> regions;
  std::vector<ValueId> p = b.BeginRegion({index, flat});
  const ValueId goes_on =
      e.Less(p[0], e.Constant(index, static_cast<double>(result_type.num_elements())));
  regions.push_back(b.EndRegion({goes_on}));
  p = b.BeginRegion({index, flat});
  for (size_t i = 0; i < operands.size(); ++i) {
    const ValueId element =
        e.Op(OpKind::kDynamicSlice, {operands[i], p[0]}, ir::DynamicSliceAttributes{{1}});
    values[region.parameters[i]] = e.Reshape(element, {});
  }
  ACCELD_RETURN_IF_ERROR(e.status());
  for (const ir::Op& op : region.ops) b.Clone(op, d.function(), values);
  const ValueId element = e.Reshape(values[region.results[0]], {1});
  const ValueId updated = e.Op(OpKind::kDynamicUpdateSlice, {p[1], element, p[0]});
  regions.push_back(b.EndRegion({e.Add(p[0], e.Constant(index, 1)), updated}));
  ACCELD_RETURN_IF_ERROR(e.status());
  ACCELD_ASSIGN_OR_RETURN(
      const std::vector<ValueId> results,
      b.Add(OpKind::kWhile, {zero, empty}, ir::NoAttributes{}, std::move(regions)));
  return e.Results({e.Reshape(results[1], result_type.dims)});
}

}  // namespace

DecompositionResult DecomposeMap(Decomposition& d) {
  const ir::Region& region = d.op().regions[0];
  absl::flat_hash_set<ValueId> defined;
  std::vector<ValueId> captured;
  FindCaptured(region, defined, captured);
  bool is_elementwise = IsElementwise(d.function(), region);
  ValueMap values;
  for (ValueId id : captured) {
    is_elementwise &= IsScalar(d.function().TypeOf(id));
    values[id] = d.Capture(id);
  }
  return is_elementwise ? Lift(d, std::move(values)) : Loop(d, std::move(values));
}

}  // namespace acceld::compiler
