#include <algorithm>
#include <utility>

#include "tests/unit/compiler/random/random_function.h"

namespace acceld::compiler {

using ir::DType;
using ir::OpKind;

// (accumulators..., elements...) -> accumulators. `exact` tells whether they may be grouped in
// other ways without changing bits, and with `any_order` whether they may be exchanged, too.
ir::Region RandomFunction::ScalarReducer(const std::vector<DType>& dtypes, bool* exact,
                                         bool any_order) {
  static constexpr OpKind kOps[] = {OpKind::kAdd, OpKind::kAdd, OpKind::kMaximum, OpKind::kMinimum,
                                    OpKind::kMultiply};
  std::vector<ir::Type> types;
  for (int half = 0; half < 2; ++half) {
    for (DType dtype : dtypes) types.emplace_back(ir::TensorType{dtype, {}});
  }
  const std::vector<ir::ValueId> p = b_.BeginRegion(types);
  const size_t n = dtypes.size();
  std::vector<ir::ValueId> results;
  *exact = true;
  if (n == 2 && dice_.OneIn(2) && !ir::IsComplex(dtypes[0]) && !any_order) {
    // The larger key and its companion, of equal keys the first; an argmax.
    const auto first = b_.AddOne(OpKind::kCompare, {p[0], p[2]},
                                 ir::CompareAttributes{ir::ComparisonDirection::kGe});
    for (size_t i = 0; i < 2; ++i) {
      results.push_back(*b_.AddOne(OpKind::kSelect, {*first, p[i], p[2 + i]}));
    }
    return b_.EndRegion(results);
  }
  for (size_t i = 0; i < n; ++i) {
    OpKind kind = dice_.Pick(kOps);
    const bool ordered = kind == OpKind::kMaximum || kind == OpKind::kMinimum;
    if (ir::IsComplex(dtypes[i])) kind = OpKind::kAdd;
    // The interpreter rounds 8-bit sums at each step, kernels once at the end.
    if (ir::IsFloat(dtypes[i]) && ir::BitsOf(dtypes[i]) == 8 && !ordered) kind = OpKind::kMaximum;
    // A product of many floats overflows, whatever its rounding.
    if (ir::IsFloat(dtypes[i]) && kind == OpKind::kMultiply) kind = OpKind::kAdd;
    if (!ordered && !ir::IsInteger(dtypes[i]) && dtypes[i] != DType::kI1) *exact = false;
    ir::ValueId element = p[n + i];
    if (dice_.OneIn(6)) {
      // Captured from around.
      const Value outside = ValueOf({dtypes[i], {}}, true);
      element = *b_.AddOne(OpKind::kAdd, {element, outside.id});
      ForgetFrom(p[0]);
    }
    if (ir::IsInteger(dtypes[i])) {
      if (dice_.OneIn(6)) element = LookUp(element, p[0]);
      if (dice_.OneIn(8)) element = Branch(element);
      if (dice_.OneIn(8)) element = Loop(element);
    }
    results.push_back(*b_.AddOne(kind, {p[i], element}));
  }
  return b_.EndRegion(results);
}

// The element of a table at a clamped index: a constant of the region, small or large, or a value
// from around.
ir::ValueId RandomFunction::LookUp(ir::ValueId index, ir::ValueId first_inside) {
  const ir::TensorType type{b_.TypeOf(index).tensor().dtype, {dice_.Between(1, 20)}};
  const ir::ValueId table =
      dice_.OneIn(2) ? b_.Constant(RandomLiteral(dice_, type)) : ValueOf(type, /*exact=*/true).id;
  ForgetFrom(first_inside);
  const auto slice =
      b_.AddOne(OpKind::kDynamicSlice, {table, index}, ir::DynamicSliceAttributes{{1}});
  return *b_.AddOne(OpKind::kReshape, {*slice}, ir::NoAttributes{},
                    {ir::Type(ir::TensorType{type.dtype, {}})});
}

// One function or another of an integer scalar, as its own bits say.
ir::ValueId RandomFunction::Branch(ir::ValueId x) {
  static constexpr OpKind kOps[] = {OpKind::kAdd, OpKind::kMultiply, OpKind::kXor,
                                    OpKind::kMaximum};
  const bool is_case = b_.TypeOf(x).tensor().dtype == DType::kI32;
  ir::ValueId selector = x;
  if (!is_case) {
    selector = *b_.AddOne(OpKind::kCompare, {x, *b_.AddOne(OpKind::kNegate, {x})},
                          ir::CompareAttributes{ir::ComparisonDirection::kLt});
  }
  std::vector<ir::Region> branches;
  for (int64_t count = is_case ? dice_.Between(1, 4) : 2; count > 0; --count) {
    b_.BeginRegion({});
    branches.push_back(b_.EndRegion({*b_.AddOne(dice_.Pick(kOps), {x, x})}));
  }
  return b_
      .Add(is_case ? OpKind::kCase : OpKind::kIf, {selector}, ir::NoAttributes{},
           std::move(branches))
      ->front();
}

// A polynomial of an integer scalar, of a degree that its lowest bits say.
ir::ValueId RandomFunction::Loop(ir::ValueId x) {
  const ir::TensorType type = b_.TypeOf(x).tensor();
  const auto constant = [&](double value) { return b_.Constant(ir::Literal::Filled(type, value)); };
  const ir::ValueId degree = *b_.AddOne(OpKind::kAnd, {x, constant(dice_.Between(0, 1) * 2 + 1)});
  const std::vector<ir::Type> types(2, ir::Type(type));
  std::vector<ir::Region> regions;
  const std::vector<ir::ValueId> before = b_.BeginRegion(types);
  regions.push_back(
      b_.EndRegion({*b_.AddOne(OpKind::kCompare, {before[0], degree},
                               ir::CompareAttributes{ir::ComparisonDirection::kLt})}));
  const std::vector<ir::ValueId> current = b_.BeginRegion(types);
  const ir::ValueId next = *b_.AddOne(OpKind::kAdd, {current[0], constant(1)});
  const ir::ValueId power = *b_.AddOne(OpKind::kMultiply, {current[1], x});
  regions.push_back(b_.EndRegion({next, *b_.AddOne(OpKind::kSubtract, {power, next})}));
  return b_.Add(OpKind::kWhile, {constant(0), x}, ir::NoAttributes{}, std::move(regions))->back();
}

void RandomFunction::ForgetFrom(ir::ValueId first) {
  scope_.erase(std::remove_if(scope_.begin(), scope_.end(), [&](Value v) { return v.id > first; }),
               scope_.end());
}

void RandomFunction::TryReduce() {
  const Value x = dice_.OneIn(10) ? AnyValue() : RankedValue(1);
  std::vector<Value> operands = {x};
  std::vector<DType> dtypes = {TypeOf(x).dtype};
  bool exact = x.exact;
  if (dice_.OneIn(4)) {
    ir::TensorType type = TypeOf(x);
    if (dice_.OneIn(2)) type.dtype = AnyDType();
    operands.push_back(ValueOf(type, true));
    dtypes.push_back(type.dtype);
  }
  // An argmax over rounded keys decides by rounding.
  if (dtypes.size() == 2 && !x.exact) return;
  for (DType dtype : dtypes) operands.push_back(ValueOf({dtype, {}}, true));
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    if (dice_.OneIn(2)) dims.push_back(d);
  }
  std::vector<ir::ValueId> ids;
  for (const Value& v : operands) ids.push_back(v.id);
  bool reorders = true;
  ir::Region region = ScalarReducer(dtypes, &reorders);
  std::vector<ir::Region> regions;
  regions.push_back(std::move(region));
  Keep(b_.Add(OpKind::kReduce, ids, ir::DimensionsAttributes{dims}, std::move(regions)),
       exact && reorders);
}

void RandomFunction::TryReduceWindow() {
  const Value x = RankedValue(1);
  ir::WindowAttributes window;
  const bool cumulative = dice_.OneIn(3);
  const int64_t along = dice_.Below(TypeOf(x).rank());
  int64_t work = TypeOf(x).num_elements();
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    const int64_t size = TypeOf(x).dims[d];
    const int64_t extent = cumulative ? (d == along ? size : 1) : dice_.Between(1, 3);
    work *= extent;
    window.window_dimensions.push_back(extent);
    window.window_strides.push_back(cumulative ? 1 : dice_.Between(1, 2));
    window.base_dilations.push_back(cumulative || !dice_.OneIn(4) ? 1 : 2);
    window.window_dilations.push_back(cumulative || !dice_.OneIn(4) ? 1 : 2);
    window.padding.pairs.emplace_back(cumulative ? extent - 1 : dice_.Between(-1, 2),
                                      cumulative ? 0 : dice_.Between(-1, 2));
  }
  if (work > 50'000) return;
  const DType dtype = TypeOf(x).dtype;
  Value initial = ValueOf({dtype, {}}, true);
  if (cumulative && !dice_.OneIn(3)) initial = {b_.Constant(ir::Literal::Zeros({dtype, {}})), true};
  bool reorders = true;
  std::vector<ir::Region> regions;
  regions.push_back(ScalarReducer({dtype}, &reorders));
  Keep(b_.Add(OpKind::kReduceWindow, {x.id, initial.id}, window, std::move(regions)),
       x.exact && reorders);
}

void RandomFunction::TryScatter() {
  const Value x = RankedValue(1);
  const ir::TensorType operand = TypeOf(x);
  ir::TensorType indices{dice_.OneIn(2) ? DType::kI32 : DType::kI64, {}};
  ir::ScatterAttributes scatter;
  auto& numbers = scatter.scatter_dimension_numbers;
  for (int64_t i = dice_.Below(3); i > 0; --i) indices.dims.push_back(dice_.Between(1, 5));
  const int64_t batch_rank = indices.rank();
  ir::Dims window;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (batch_rank > 0 && numbers.input_batching_dims.empty() && dice_.OneIn(4)) {
      const int64_t batch = dice_.Below(batch_rank);
      indices.dims[batch] = operand.dims[d];
      numbers.input_batching_dims = {d};
      numbers.scatter_indices_batching_dims = {batch};
      continue;
    }
    if (dice_.OneIn(2)) numbers.scatter_dims_to_operand_dims.push_back(d);
    if (dice_.OneIn(2)) {
      numbers.inserted_window_dims.push_back(d);
    } else {
      window.push_back(dice_.Between(1, operand.dims[d]));
    }
  }
  // Window dimensions stand anywhere among those of the updates.
  ir::TensorType updates{operand.dtype, {}};
  size_t next_batch = 0, next_window = 0;
  while (next_batch < indices.dims.size() || next_window < window.size()) {
    const bool takes_window =
        next_batch == indices.dims.size() || (next_window < window.size() && dice_.OneIn(2));
    if (takes_window) numbers.update_window_dims.push_back(updates.rank());
    updates.dims.push_back(takes_window ? window[next_window++] : indices.dims[next_batch++]);
  }
  numbers.index_vector_dim = dice_.Between(0, batch_rank);
  for (int64_t& batch : numbers.scatter_indices_batching_dims) {
    batch += batch >= numbers.index_vector_dim ? 1 : 0;
  }
  indices.dims.insert(indices.dims.begin() + numbers.index_vector_dim,
                      static_cast<int64_t>(numbers.scatter_dims_to_operand_dims.size()));
  if (updates.num_elements() > 5000) return;
  // Sometimes two inputs of one shape.
  std::vector<ir::ValueId> inputs = {x.id}, update_ids = {ValueOf(updates, true).id};
  std::vector<DType> dtypes = {operand.dtype};
  if (x.exact && dice_.OneIn(4)) {
    const DType other = AnyDType();
    inputs.push_back(ValueOf({other, operand.dims}, true).id);
    update_ids.push_back(ValueOf({other, updates.dims}, true).id);
    dtypes.push_back(other);
  }
  std::vector<ir::ValueId> operands = inputs;
  operands.push_back(ValueOf(indices, true).id);
  operands.insert(operands.end(), update_ids.begin(), update_ids.end());
  bool reorders = true;
  // Windows that overlap meet an element in an order that is an implementation's own.
  std::vector<ir::Region> regions;
  regions.push_back(ScalarReducer(dtypes, &reorders, /*any_order=*/!window.empty()));
  Keep(b_.Add(OpKind::kScatter, operands, scatter, std::move(regions)), x.exact && reorders);
}

void RandomFunction::TrySort() {
  const Value x = RankedValue(1, /*exact=*/true);
  if (ir::IsComplex(TypeOf(x).dtype)) return;
  std::vector<ir::ValueId> ids = {x.id};
  std::vector<ir::Type> types(2, ir::TensorType{TypeOf(x).dtype, {}});
  bool exact = true;
  if (dice_.OneIn(2)) {
    ir::TensorType type = TypeOf(x);
    if (dice_.OneIn(2)) type.dtype = AnyDType();
    const Value companion = ValueOf(type);
    ids.push_back(companion.id);
    exact = companion.exact;
    types.insert(types.end(), 2, ir::TensorType{type.dtype, {}});
  }
  const std::vector<ir::ValueId> p = b_.BeginRegion(types);
  ir::CompareAttributes compare{dice_.OneIn(2) ? ir::ComparisonDirection::kLt
                                               : ir::ComparisonDirection::kGt};
  if (ir::IsFloat(TypeOf(x).dtype)) compare.compare_type = ir::ComparisonType::kTotalOrder;
  const auto less = b_.AddOne(OpKind::kCompare, {p[0], p[1]}, compare);
  std::vector<ir::Region> regions;
  regions.push_back(b_.EndRegion({less.ok() ? *less : p[0]}));
  const ir::SortAttributes sort{dice_.Below(TypeOf(x).rank()), true};
  const auto sorted = b_.Add(OpKind::kSort, ids, sort, std::move(regions));
  if (!sorted.ok()) return;
  const bool first_few = dice_.OneIn(2);
  for (size_t i = 0; i < sorted->size(); ++i) {
    ir::SliceAttributes slice;
    for (const int64_t size : TypeOf(x).dims) {
      slice.start_indices.push_back(0);
      slice.limit_indices.push_back(size);
      slice.strides.push_back(1);
    }
    int64_t& limit = slice.limit_indices[sort.dimension];
    limit = (limit + 7) / 8;
    const bool is_exact = i == 0 || exact;
    if (first_few) {
      Keep(b_.AddOne(OpKind::kSlice, {(*sorted)[i]}, slice), is_exact);
    } else {
      Keep((*sorted)[i], is_exact);
    }
  }
}

void RandomFunction::TryDot() {
  const Value x = RankedValue(1);
  ir::DotGeneralAttributes dot;
  auto& numbers = dot.dot_dimension_numbers;
  ir::TensorType other{TypeOf(x).dtype, {}};
  if (ir::IsFloat(other.dtype) && ir::BitsOf(other.dtype) == 8) return;  // As sums above.
  if (other.dtype == DType::kI1 || !(ir::IsInteger(other.dtype) || x.exact)) return;
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    const int64_t choice = dice_.Below(3);
    if (choice == 0) continue;
    auto& lhs = choice == 1 ? numbers.lhs_contracting_dimensions : numbers.lhs_batching_dimensions;
    auto& rhs = choice == 1 ? numbers.rhs_contracting_dimensions : numbers.rhs_batching_dimensions;
    if (dice_.OneIn(4)) other.dims.push_back(dice_.Between(1, 4));
    lhs.push_back(d);
    rhs.push_back(other.rank());
    other.dims.push_back(TypeOf(x).dims[d]);
  }
  if (dice_.OneIn(2)) other.dims.push_back(dice_.Between(1, 6));
  if (other.num_elements() * TypeOf(x).num_elements() > 100'000) return;
  const ir::TensorType wanted = other;
  const Value y = ValueOf(wanted, true);
  ir::TensorType result{TypeOf(x).dtype, {}};
  const auto contains = [](const std::vector<int64_t>& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  for (int64_t d : numbers.lhs_batching_dimensions) result.dims.push_back(TypeOf(x).dims[d]);
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    if (!contains(numbers.lhs_batching_dimensions, d) &&
        !contains(numbers.lhs_contracting_dimensions, d)) {
      result.dims.push_back(TypeOf(x).dims[d]);
    }
  }
  for (int64_t d = 0; d < wanted.rank(); ++d) {
    if (!contains(numbers.rhs_batching_dimensions, d) &&
        !contains(numbers.rhs_contracting_dimensions, d)) {
      result.dims.push_back(wanted.dims[d]);
    }
  }
  Keep(Make(OpKind::kDotGeneral, {x, y}, dot, &result), ir::IsInteger(result.dtype));
}

}  // namespace acceld::compiler
