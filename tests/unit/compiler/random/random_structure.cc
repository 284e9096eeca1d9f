#include <utility>

#include "tests/unit/compiler/random/random_function.h"

namespace acceld::compiler {

using ir::DType;
using ir::OpKind;

namespace {

constexpr int kMaxDepth = 3;

}  // namespace

// Values like `like`, computed from `parameters` and what stands around.
ir::Region RandomFunction::Body(const Values& parameters, const Values& like, int64_t num_steps) {
  const size_t outside = scope_.size();
  scope_.insert(scope_.end(), parameters.begin(), parameters.end());
  for (int64_t i = 0; i < num_steps; ++i) Step();
  std::vector<ir::ValueId> results;
  for (const Value& v : like) {
    const ir::TensorType type = TypeOf(v);
    results.push_back(ValueOf(type, v.exact).id);
  }
  scope_.resize(outside);
  return b_.EndRegion(results);
}

void RandomFunction::TryIf() {
  if (depth_ >= kMaxDepth) return;
  ++depth_;
  Values like;
  for (int64_t i = dice_.Between(1, 3); i > 0; --i) like.push_back(AnyValue());
  const bool is_case = dice_.OneIn(2);
  const Value index = ValueOf({is_case ? DType::kI32 : DType::kI1, {}}, true);
  std::vector<ir::Region> regions;
  bool exact = true;
  for (const Value& v : like) exact = exact && v.exact;
  for (int64_t i = is_case ? dice_.Between(1, 4) : 2; i > 0; --i) {
    b_.BeginRegion({});
    regions.push_back(Body({}, like, dice_.Below(5)));
  }
  --depth_;
  const auto results = b_.Add(is_case ? OpKind::kCase : OpKind::kIf, {index.id}, ir::NoAttributes{},
                              std::move(regions));
  if (!results.ok()) return;
  for (size_t i = 0; i < like.size(); ++i) Keep((*results)[i], like[i].exact);
}

void RandomFunction::TryWhile() {
  if (depth_ >= kMaxDepth) return;
  ++depth_;
  const ir::TensorType counter_type{DType::kI32, {}};
  Values initial = {{b_.Constant(ir::Literal::Zeros(counter_type)), true}};
  for (int64_t i = dice_.Below(4); i > 0; --i) initial.push_back(AnyValue());
  std::vector<ir::Type> types;
  std::vector<ir::ValueId> ids;
  for (const Value& v : initial) {
    types.push_back(b_.TypeOf(v.id));
    ids.push_back(v.id);
  }
  std::vector<ir::Region> regions;
  const std::vector<ir::ValueId> condition = b_.BeginRegion(types);
  const ir::ValueId limit =
      b_.Constant(ir::Literal::Filled(counter_type, static_cast<double>(dice_.Below(6))));
  regions.push_back(
      b_.EndRegion({*b_.AddOne(OpKind::kCompare, {condition[0], limit},
                               ir::CompareAttributes{ir::ComparisonDirection::kLt})}));
  const std::vector<ir::ValueId> carried = b_.BeginRegion(types);
  const ir::ValueId one = b_.Constant(ir::Literal::Filled(counter_type, 1));
  const ir::ValueId next = *b_.AddOne(OpKind::kAdd, {carried[0], one});
  Values parameters;
  for (size_t i = 0; i < carried.size(); ++i) parameters.push_back({carried[i], initial[i].exact});
  ir::Region body = Body(parameters, initial, dice_.Below(6));
  body.results[0] = next;
  regions.push_back(std::move(body));
  --depth_;
  const auto results = b_.Add(OpKind::kWhile, ids, ir::NoAttributes{}, std::move(regions));
  if (!results.ok()) return;
  for (size_t i = 0; i < initial.size(); ++i) Keep((*results)[i], initial[i].exact);
}

void RandomFunction::TryCall() {
  if (helpers_.empty()) return;
  const Helper& helper = dice_.Pick(helpers_);
  std::vector<ir::ValueId> arguments;
  for (const ir::Type& type : helper.signature.parameters) {
    arguments.push_back(ValueOf(type.tensor(), true).id);
  }
  const auto results =
      b_.Add(OpKind::kCall, arguments, ir::CallAttributes{ir::FunctionName{helper.name}}, {},
             helper.signature.results, {}, &helper.signature);
  if (!results.ok()) return;
  for (size_t i = 0; i < results->size(); ++i) Keep((*results)[i], helper.exact_results[i]);
}

}  // namespace acceld::compiler
