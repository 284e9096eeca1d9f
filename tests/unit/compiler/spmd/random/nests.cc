#include <algorithm>
#include <utility>

#include "tests/unit/compiler/spmd/random/sharded_function.h"

// Reductions, windows and sorts.
namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

// Adds to an integer a value from around, or the element of one that the integer names.
ir::ValueId ShardedFunction::AddCaptured(ir::ValueId element) {
  const ir::TensorType scalar = b_.TypeOf(element).tensor();
  for (const Value& v : scope_) {
    const ir::TensorType type = TypeOf(v);
    const bool fits = type.dtype == scalar.dtype && type.num_elements() > 0 && v.varies == 0;
    if (!fits || !dice_.OneIn(2)) continue;
    ir::ValueId captured = v.id;
    if (type.rank() > 0) {
      const std::vector<int64_t> sizes(type.dims.size(), 1);
      std::vector<ir::ValueId> operands(type.dims.size() + 1, element);
      operands[0] = v.id;
      const ir::ValueId slice =
          *b_.AddOne(OpKind::kDynamicSlice, operands, ir::DynamicSliceAttributes{sizes});
      captured = *b_.AddOne(OpKind::kReshape, {slice}, ir::NoAttributes{}, {ir::Type(scalar)});
    }
    return *b_.AddOne(OpKind::kAdd, {element, captured});
  }
  return element;
}

ir::Region ShardedFunction::Combiner(OpKind kind, DType dtype, bool may_capture) {
  const ir::TensorType scalar{dtype, {}};
  const std::vector<ir::ValueId> p = b_.BeginRegion({scalar, scalar});
  std::vector<ir::ValueId> operands = {p[0], p[1]};
  if (dice_.OneIn(4)) std::swap(operands[0], operands[1]);
  if (may_capture && ir::IsInteger(dtype) && dice_.OneIn(4)) operands[1] = AddCaptured(p[1]);
  const auto combined = b_.AddOne(kind, std::move(operands));
  return b_.EndRegion({combined.ok() ? *combined : p[0]});
}

OpKind ShardedFunction::AnyCombiner(DType dtype) {
  static constexpr OpKind kForFloats[] = {OpKind::kAdd, OpKind::kAdd, OpKind::kMaximum,
                                          OpKind::kMinimum, OpKind::kMultiply};
  static constexpr OpKind kForIntegers[] = {OpKind::kAdd,      OpKind::kMaximum, OpKind::kMinimum,
                                            OpKind::kMultiply, OpKind::kAnd,     OpKind::kOr,
                                            OpKind::kXor};
  if (ir::IsComplex(dtype)) return OpKind::kAdd;
  return ir::IsFloat(dtype) ? dice_.Pick(kForFloats) : dice_.Pick(kForIntegers);
}

// Of equal keys the first stays.
ir::Region ShardedFunction::ArgMax(DType key, DType companion) {
  const ir::TensorType a{key, {}}, b{companion, {}};
  const std::vector<ir::ValueId> p = b_.BeginRegion({a, b, a, b});
  const auto is_first = b_.AddOne(OpKind::kCompare, {p[0], p[2]},
                                  ir::CompareAttributes{ir::ComparisonDirection::kGe});
  std::vector<ir::ValueId> results;
  for (size_t i = 0; i < 2; ++i) {
    results.push_back(*b_.AddOne(OpKind::kSelect, {*is_first, p[i], p[2 + i]}));
  }
  return b_.EndRegion(results);
}

int64_t ShardedFunction::BoundOf(OpKind combiner, int64_t bound, int64_t initial, int64_t count) {
  if (bound == 0 || initial == 0) return 0;
  if (combiner == OpKind::kAdd) return initial + bound * count;
  if (combiner == OpKind::kMaximum || combiner == OpKind::kMinimum) {
    return std::max(bound, initial);
  }
  if (combiner != OpKind::kMultiply) return 0;
  int64_t product = initial;
  for (; count > 0 && bound > 1 && product < int64_t{1} << 40; --count) product *= bound;
  return count > 0 && bound > 1 ? 0 : product;
}

bool ShardedFunction::IsExact(OpKind combiner, DType dtype, int64_t bound) {
  const bool selects = combiner == OpKind::kMaximum || combiner == OpKind::kMinimum;
  const bool rounds = ir::IsFloat(dtype) || ir::IsComplex(dtype);
  return selects || !rounds || (bound > 0 && bound <= ExactLimit(dtype));
}

void ShardedFunction::TryReduce() {
  const Value x = AnyValue(dice_.OneIn(10) ? 0 : 1);
  const ir::TensorType type = TypeOf(x);
  const OpKind kind = AnyCombiner(type.dtype);
  const int64_t bound = kind == OpKind::kMultiply ? 2 : 8;
  const Value small = ir::IsFloat(type.dtype) && x.exact && !dice_.OneIn(5) ? Small(x, bound) : x;
  ir::DimensionsAttributes dimensions;
  int64_t count = 1;
  for (int64_t d = 0; d < type.rank(); ++d) {
    if (dice_.OneIn(2)) continue;
    dimensions.dimensions.push_back(d);
    count *= type.dims[static_cast<size_t>(d)];
  }
  // Often the neutral element, or something that may be combined several times.
  Value initial = ValueOf({type.dtype, {}});
  if (!dice_.OneIn(3) && type.dtype != DType::kI1) {
    initial = Scalar(type.dtype, kind == OpKind::kMultiply ? 1 : 0);
  }
  const int64_t combined = BoundOf(kind, small.bound, initial.bound, count);
  if (kind == OpKind::kMultiply && ir::IsFloat(type.dtype) && combined == 0) return;
  std::vector<ir::Region> regions;
  regions.push_back(Combiner(kind, type.dtype, /*may_capture=*/true));
  const auto results =
      b_.Add(OpKind::kReduce, {small.id, initial.id}, dimensions, std::move(regions));
  if (!results.ok()) return;
  Keep(results->front(), combined, IsExact(kind, type.dtype, combined), {small, initial});
}

// Two inputs: the largest with its companion, or two sums.
void ShardedFunction::TryReduceTwo() {
  const Value x = NumberValue(1, /*integer=*/true, /*real=*/true);
  ir::TensorType other = TypeOf(x);
  if (dice_.OneIn(2)) other.dtype = DType::kI32;
  const Value y = ValueOf(other);
  const DType key = TypeOf(x).dtype;
  const Value first = ValueOf({key, {}}), second = ValueOf({other.dtype, {}});
  ir::DimensionsAttributes dimensions;
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    if (dice_.OneIn(2)) dimensions.dimensions.push_back(d);
  }
  std::vector<ir::Region> regions;
  if (dice_.OneIn(2)) {
    regions.push_back(ArgMax(key, other.dtype));
  } else {
    const ir::TensorType a{key, {}}, b{other.dtype, {}};
    const std::vector<ir::ValueId> p = b_.BeginRegion({a, b, a, b});
    const ir::ValueId large = *b_.AddOne(OpKind::kMaximum, {p[0], p[2]});
    regions.push_back(b_.EndRegion({large, *b_.AddOne(OpKind::kMinimum, {p[1], p[3]})}));
  }
  const auto results =
      b_.Add(OpKind::kReduce, {x.id, y.id, first.id, second.id}, dimensions, std::move(regions));
  if (!results.ok()) return;
  for (const ir::ValueId id : *results) Keep(id, 0, true, {x, y, first, second});
}

void ShardedFunction::TryReduceWindow() {
  const Value any = NumberValue(1, /*integer=*/true, /*real=*/true);
  const OpKind kind = AnyCombiner(TypeOf(any).dtype);
  const Value x = Small(any, kind == OpKind::kMultiply ? 2 : 8);
  const ir::TensorType type = TypeOf(x);
  ir::WindowAttributes window;
  const bool is_cumulative = dice_.OneIn(3);
  const int64_t along = dice_.Below(type.rank());
  int64_t count = 1;
  for (int64_t d = 0; d < type.rank(); ++d) {
    const int64_t size = type.dims[static_cast<size_t>(d)];
    const bool is_kept = is_cumulative ? d != along : dice_.OneIn(2);
    const int64_t extent = is_kept ? 1 : is_cumulative ? size : dice_.Between(1, 3);
    const bool may_vary = !is_kept && !is_cumulative;
    count *= extent;
    window.window_dimensions.push_back(extent);
    window.window_strides.push_back(may_vary ? dice_.Between(1, 2) : 1);
    window.base_dilations.push_back(may_vary && dice_.OneIn(4) ? 2 : 1);
    window.window_dilations.push_back(may_vary && dice_.OneIn(4) ? 2 : 1);
    window.padding.pairs.emplace_back(is_cumulative && !is_kept ? extent - 1
                                      : may_vary                ? dice_.Between(0, 2)
                                                                : 0,
                                      may_vary ? dice_.Between(0, 2) : 0);
  }
  const Value initial = dice_.OneIn(3) ? ValueOf({type.dtype, {}}) : Scalar(type.dtype, 1);
  const int64_t bound = BoundOf(kind, x.bound, initial.bound, count);
  if (kind == OpKind::kMultiply && ir::IsFloat(type.dtype) && bound == 0) return;
  std::vector<ir::Region> regions;
  regions.push_back(Combiner(kind, type.dtype, /*may_capture=*/true));
  const auto results =
      b_.Add(OpKind::kReduceWindow, {x.id, initial.id}, window, std::move(regions));
  if (!results.ok()) return;
  Keep(results->front(), bound, IsExact(kind, type.dtype, bound), {x, initial});
}

void ShardedFunction::TrySelectAndScatter() {
  const Value x = NumberValue(1, /*integer=*/true, /*real=*/true);
  const ir::TensorType operand = TypeOf(x);
  ir::SelectAndScatterAttributes attributes;
  ir::TensorType source{operand.dtype, {}};
  for (const int64_t size : operand.dims) {
    const bool is_kept = dice_.OneIn(2);
    const int64_t window = is_kept ? 1 : dice_.Between(1, 2);
    const int64_t stride = is_kept ? 1 : dice_.Between(1, 2);
    const int64_t low = is_kept ? 0 : dice_.Below(2), high = is_kept ? 0 : dice_.Below(2);
    attributes.window_dimensions.push_back(window);
    attributes.window_strides.push_back(stride);
    attributes.padding.pairs.emplace_back(low, high);
    const int64_t padded = size + low + high;
    source.dims.push_back(padded < window ? 0 : (padded - window) / stride + 1);
  }
  const Value values = Small(ValueOf(source));
  const Value initial = Scalar(operand.dtype, dice_.Below(2));
  ir::TensorType scalar{operand.dtype, {}};
  const std::vector<ir::ValueId> p = b_.BeginRegion({scalar, scalar});
  const auto keeps = b_.AddOne(OpKind::kCompare, {p[0], p[1]},
                               ir::CompareAttributes{ir::ComparisonDirection::kGe});
  std::vector<ir::Region> regions;
  regions.push_back(b_.EndRegion({*keeps}));
  regions.push_back(Combiner(OpKind::kAdd, operand.dtype));
  const auto results = b_.Add(OpKind::kSelectAndScatter, {x.id, values.id, initial.id}, attributes,
                              std::move(regions));
  if (!results.ok()) return;
  const int64_t bound = BoundOf(OpKind::kAdd, values.bound, initial.bound, 64);
  Keep(results->front(), bound, IsExact(OpKind::kAdd, operand.dtype, bound), {x, values, initial});
}

void ShardedFunction::TrySort() {
  const Value x = NumberValue(1, /*integer=*/true, /*real=*/true);
  const ir::TensorType type = TypeOf(x);
  Values operands = {x};
  std::vector<ir::Type> parameters(2, ir::TensorType{type.dtype, {}});
  for (int64_t i = dice_.Below(3); i > 0; --i) {
    ir::TensorType other = type;
    if (dice_.OneIn(2)) other.dtype = AnyDType();
    operands.push_back(ValueOf(other));
    parameters.insert(parameters.end(), 2, ir::TensorType{other.dtype, {}});
  }
  std::vector<ir::ValueId> ids;
  for (const Value& v : operands) ids.push_back(v.id);
  const std::vector<ir::ValueId> p = b_.BeginRegion(parameters);
  ir::CompareAttributes compare{dice_.OneIn(2) ? ir::ComparisonDirection::kLt
                                               : ir::ComparisonDirection::kGt};
  if (ir::IsFloat(type.dtype)) compare.compare_type = ir::ComparisonType::kTotalOrder;
  const auto is_less = b_.AddOne(OpKind::kCompare, {p[0], p[1]}, compare);
  std::vector<ir::Region> regions;
  regions.push_back(b_.EndRegion({is_less.ok() ? *is_less : p[0]}));
  const int64_t dimension = dice_.Below(type.rank());
  const ir::SortAttributes sort{dice_.OneIn(4) ? dimension - type.rank() : dimension, true};
  const auto results = b_.Add(OpKind::kSort, ids, sort, std::move(regions));
  if (!results.ok()) return;
  for (size_t i = 0; i < results->size(); ++i) {
    Keep((*results)[i], operands[i].bound, true, operands);
  }
}

}  // namespace acceld::compiler::spmd
