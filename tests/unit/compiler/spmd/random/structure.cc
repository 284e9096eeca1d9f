#include <utility>

#include "common/ir/calls/host_callback.h"
#include "tests/unit/compiler/spmd/random/sharded_function.h"

// Control flow, calls, and ops that say how values are distributed.
namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

// Results with the types of `like`, whose floats are small: a bound that holds in all iterations.
ir::Region ShardedFunction::Body(const Values& parameters, const Values& like, int64_t num_steps) {
  const size_t outside = scope_.size();
  scope_.insert(scope_.end(), parameters.begin(), parameters.end());
  for (int64_t i = 0; i < num_steps; ++i) Step();
  std::vector<ir::ValueId> results;
  for (const Value& v : like) {
    const Value result = ValueOf(ir::TensorType(TypeOf(v)), v.exact);
    results.push_back(Carried(result, v.bound > 0).id);
  }
  scope_.resize(outside);
  return b_.EndRegion(results);
}

ShardedFunction::Value ShardedFunction::Carried(const Value& v, bool is_small) {
  const DType dtype = TypeOf(v).dtype;
  Value carried = v;
  if (ir::IsFloat(dtype)) carried = is_small ? Small(v) : Clamped(v, 8);
  const bool has_bound = dtype == DType::kI1 || (is_small && ir::IsFloat(dtype));
  carried.bound = !has_bound ? 0 : dtype == DType::kI1 ? 1 : 8;
  carried.varies = manual_;
  return carried;
}

void ShardedFunction::TryBranches() {
  if (depth_ >= kMaxDepth) return;
  Values like;
  for (int64_t i = dice_.Between(1, 2); i > 0; --i) {
    const Value v = AnyValue();
    // Complex numbers cannot be clamped.
    if (!ir::IsComplex(TypeOf(v).dtype)) like.push_back(Carried(v, v.bound > 0));
  }
  const bool is_case = dice_.OneIn(2);
  const Value index = ValueOf({is_case ? DType::kI32 : DType::kI1, {}});
  ++depth_;
  const bool may_exchange = std::exchange(may_exchange_, may_exchange_ && index.varies == 0);
  std::vector<ir::Region> regions;
  for (int64_t i = is_case ? dice_.Between(1, 3) : 2; i > 0; --i) {
    b_.BeginRegion({});
    regions.push_back(Body({}, like, dice_.Below(4)));
  }
  may_exchange_ = may_exchange;
  --depth_;
  const auto results = b_.Add(is_case ? OpKind::kCase : OpKind::kIf, {index.id}, ir::NoAttributes{},
                              std::move(regions));
  if (!results.ok()) return;
  for (size_t i = 0; i < like.size(); ++i) {
    Value v = like[i];
    v.id = (*results)[i];
    Keep(v);
  }
}

// Whether a loop goes on: i < limit, and sometimes something about a carried value.
ir::ValueId ShardedFunction::Condition(const Values& carried) {
  const DType dtype = DType::kI32;
  const Value limit =
      is_manual_ || dice_.OneIn(2) ? Scalar(dtype, dice_.Below(5)) : Small(ValueOf({dtype, {}}), 5);
  const ir::CompareAttributes less{ir::ComparisonDirection::kLt};
  const ir::ValueId is_less = *b_.AddOne(OpKind::kCompare, {carried[0].id, limit.id}, less);
  for (const Value& v : carried) {
    const ir::TensorType type = TypeOf(v);
    if (is_manual_ || !v.exact || type.rank() == 0 || !ir::IsInteger(type.dtype)) continue;
    ir::DimensionsAttributes all;
    for (int64_t d = 0; d < type.rank(); ++d) all.dimensions.push_back(d);
    std::vector<ir::Region> regions;
    regions.push_back(Combiner(OpKind::kAdd, type.dtype));
    const Value zero = Scalar(type.dtype, 0);
    const auto sum = b_.Add(OpKind::kReduce, {v.id, zero.id}, all, std::move(regions));
    const ir::ValueId is_zero =
        *b_.AddOne(OpKind::kCompare, {sum->front(), zero.id}, ir::CompareAttributes{});
    const ir::ValueId is_other = *b_.AddOne(OpKind::kNot, {is_zero});
    return *b_.AddOne(OpKind::kAnd, {is_less, is_other});
  }
  return is_less;
}

void ShardedFunction::TryWhile() {
  if (depth_ >= kMaxDepth) return;
  Values initial = {Scalar(DType::kI32, 0)};
  for (int64_t i = dice_.Below(4); i > 0; --i) {
    const Value v = AnyValue();
    if (!ir::IsComplex(TypeOf(v).dtype)) initial.push_back(Carried(v, v.bound > 0));
  }
  std::vector<ir::Type> types;
  std::vector<ir::ValueId> ids;
  for (const Value& v : initial) {
    types.push_back(b_.TypeOf(v.id));
    ids.push_back(v.id);
  }
  ++depth_;
  const size_t outside = scope_.size();
  const auto begin_region = [&] {
    const std::vector<ir::ValueId> parameters = b_.BeginRegion(types);
    Values values = initial;
    for (size_t i = 0; i < values.size(); ++i) values[i].id = parameters[i];
    values[0].bound = 5;
    return values;
  };
  std::vector<ir::Region> regions;
  const Values before = begin_region();
  regions.push_back(b_.EndRegion({Condition(before)}));
  scope_.resize(outside);
  const Values current = begin_region();
  const ir::ValueId next = *b_.AddOne(OpKind::kAdd, {current[0].id, Scalar(DType::kI32, 1).id});
  ir::Region body = Body(current, initial, dice_.Below(5));
  body.results[0] = next;
  regions.push_back(std::move(body));
  --depth_;
  const auto results = b_.Add(OpKind::kWhile, ids, ir::NoAttributes{}, std::move(regions));
  if (!results.ok()) return;
  for (size_t i = 1; i < initial.size(); ++i) {
    Value v = initial[i];
    v.id = (*results)[i];
    Keep(v);
  }
}

void ShardedFunction::TryCall() {
  if (context_.helpers.empty()) return;
  const ShardedHelper& helper = dice_.Pick(context_.helpers);
  const bool is_all_manual = is_manual_ && mesh_ == 0 && manual_ == AllAxesOf(mesh());
  if (helper.place == Place::kGlobal && (is_manual_ || place_ != Place::kGlobal)) return;
  if (helper.place == Place::kManual && !(is_all_manual && may_exchange_)) return;
  std::vector<ir::ValueId> arguments;
  Values from;
  for (const ir::Type& type : helper.signature.parameters) {
    from.push_back(Carried(ValueOf(type.tensor()), true));
    arguments.push_back(from.back().id);
  }
  const auto results =
      b_.Add(OpKind::kCall, arguments, ir::CallAttributes{ir::FunctionName{helper.name}}, {},
             helper.signature.results, {}, &helper.signature);
  if (!results.ok()) return;
  for (size_t i = 0; i < results->size(); ++i) {
    Value v{.id = (*results)[i], .exact = helper.exact_results[i], .varies = manual_};
    if (TypeOf(v).dtype == DType::kI1) v.bound = 1;
    Keep(v);
  }
}

void ShardedFunction::TryConstraint() {
  if (place_ == Place::kAnywhere || scope_.empty()) return;
  if (is_manual_ && FreeAxes() == 0) return;
  Value v = AnyValue();
  const int64_t mesh =
      is_manual_ ? mesh_ : dice_.Below(static_cast<int64_t>(context_.meshes.size()));
  const AxisSet among =
      is_manual_ ? FreeAxes() : AllAxesOf(context_.meshes[static_cast<size_t>(mesh)]);
  ir::Sharding sharding =
      RandomSharding(dice_, context_.meshes, mesh, TypeOf(v).dims, among, false);
  if (!is_manual_) sharding = WithParts(std::move(sharding), TypeOf(v));
  const auto constrained =
      Make(OpKind::kShardingConstraint, {v}, ir::ShardingConstraintAttributes{std::move(sharding)});
  if (!constrained.ok()) return;
  v.id = *constrained;
  scope_.push_back(v);
}

void ShardedFunction::TryGroup() {
  if (!is_entry_ || is_manual_) return;
  const Value v = AnyValue(1);
  const ir::Dims dims = TypeOf(v).dims;
  size_t group = 0;
  while (group < groups_.size() && (groups_[group] != dims || dice_.OneIn(4))) ++group;
  if (group == groups_.size()) groups_.push_back(dims);
  (void)b_.Add(OpKind::kShardingGroup, {v.id},
               ir::ShardingGroupAttributes{static_cast<int64_t>(group)});
}

// A callback gives its operands back.
void ShardedFunction::TryHostCall() {
  Values values;
  std::vector<ir::ValueId> ids;
  std::vector<ir::Type> types;
  for (int64_t i = dice_.Between(1, 2); i > 0; --i) {
    values.push_back(AnyValue());
    ids.push_back(values.back().id);
    types.push_back(b_.TypeOf(ids.back()));
  }
  const auto results = b_.Add(OpKind::kCustomCall, ids,
                              ir::HostCallbackAttributes(0, /*has_side_effect=*/true), {}, types);
  if (!results.ok()) return;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].id = (*results)[i];
    Keep(values[i]);
  }
}

void ShardedFunction::TryBarrier() {
  Values values;
  std::vector<ir::ValueId> ids;
  for (int64_t i = dice_.Between(1, 3); i > 0; --i) {
    values.push_back(AnyValue());
    ids.push_back(values.back().id);
  }
  const auto results = b_.Add(OpKind::kOptimizationBarrier, ids);
  if (!results.ok()) return;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].id = (*results)[i];
    scope_.push_back(values[i]);
  }
}

}  // namespace acceld::compiler::spmd
