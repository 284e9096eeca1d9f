#include <string>
#include <utility>

#include "tests/unit/compiler/random/random_function.h"

namespace acceld::compiler {

using ir::DType;
using ir::OpKind;

void RandomFunction::TryMap() {
  const Value x = AnyValue();
  const Value y = ValueOf(ir::TensorType(TypeOf(x)));
  ir::DimensionsAttributes all;
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) all.dimensions.push_back(d);
  bool exact = true;
  std::vector<ir::Region> regions;
  regions.push_back(ScalarReducer({TypeOf(x).dtype}, &exact));
  Keep(b_.Add(OpKind::kMap, {x.id, y.id}, all, std::move(regions)), exact && x.exact && y.exact);
}

// The variance is kept away from zero: what is divided by its root must not grow.
void RandomFunction::TryBatchNorm() {
  const Value x = RankedValue(1);
  const ir::TensorType type = TypeOf(x);
  if (type.dtype != DType::kF32 && type.dtype != DType::kF64) return;
  ir::BatchNormAttributes attributes;
  attributes.epsilon = 1;
  attributes.feature_index = dice_.Below(type.rank());
  const ir::TensorType features{type.dtype, {type.dims[attributes.feature_index]}};
  const Value scale = ValueOf(features, true), offset = ValueOf(features, true);
  Keep(b_.Add(OpKind::kBatchNormTraining, {x.id, scale.id, offset.id}, attributes), false);
}

void RandomFunction::TryRandomBits() {
  static constexpr DType kDTypes[] = {DType::kI8,  DType::kUI8,  DType::kI16,
                                      DType::kI32, DType::kUI32, DType::kUI64};
  static constexpr ir::RngAlgorithm kAlgorithms[] = {
      ir::RngAlgorithm::kDefault, ir::RngAlgorithm::kThreeFry, ir::RngAlgorithm::kPhilox};
  const ir::RngAlgorithm algorithm = dice_.Pick(kAlgorithms);
  const bool is_long = algorithm != ir::RngAlgorithm::kThreeFry && dice_.OneIn(2);
  const Value state = ValueOf({DType::kUI64, {is_long ? 3 : 2}}, true);
  const DType dtype = dice_.Pick(kDTypes);
  const std::vector<ir::Type> declared = {TypeOf(state), ir::TensorType{dtype, AnyDims()}};
  Keep(b_.Add(OpKind::kRngBitGenerator, {state.id}, ir::RngBitGeneratorAttributes{algorithm}, {},
              declared),
       true);
}

// The labels of the first operand are a, b, c...; where two sizes are equal they may be one label.
void RandomFunction::TryEinsum() {
  const Value x = RankedValue(1);
  const ir::TensorType type = TypeOf(x);
  if (!ir::IsInteger(type.dtype)) return;  // Sums of floats depend on their order: see TryDot.
  std::string labels;
  for (int64_t d = 0; d < type.rank(); ++d) {
    labels += static_cast<char>('a' + d);
    for (int64_t before = 0; before < d; ++before) {
      if (type.dims[before] == type.dims[d] && dice_.OneIn(2)) labels.back() = labels[before];
    }
  }
  std::string other_labels, result;
  ir::TensorType other{type.dtype, {}};
  const bool is_unary = dice_.OneIn(3);
  for (size_t d = 0; d < labels.size(); ++d) {
    const char label = labels[labels.size() - 1 - d];
    if (dice_.OneIn(2) && result.find(label) == std::string::npos) result += label;
    if (is_unary || dice_.OneIn(2)) continue;
    other_labels += label;
    other.dims.push_back(type.dims[labels.size() - 1 - d]);
  }
  if (is_unary) {
    Keep(Make(OpKind::kUnaryEinsum, {x}, ir::EinsumAttributes{labels + "->" + result}), true);
    return;
  }
  if (dice_.OneIn(2)) {
    other_labels += 'z';
    other.dims.push_back(dice_.Between(1, 4));
    if (dice_.OneIn(2)) result += 'z';
  }
  if (other.num_elements() * type.num_elements() > 100'000) return;
  const std::string config = labels + "," + other_labels + "->" + result;
  Keep(Make(OpKind::kEinsum, {x, ValueOf(other, true)}, ir::EinsumAttributes{config}), true);
}

void RandomFunction::TryTorchIndexSelect() {
  const Value x = RankedValue(1);
  const ir::Dims dims = TypeOf(x).dims;
  ir::TorchIndexSelectAttributes select;
  select.dim = dice_.Below(static_cast<int64_t>(dims.size()));
  select.batch_dims = dice_.Between(0, select.dim);
  ir::TensorType index{dice_.OneIn(2) ? DType::kI32 : DType::kUI8, {}};
  index.dims.assign(dims.begin(), dims.begin() + select.batch_dims);
  for (int64_t i = dice_.Below(3); i > 0; --i) index.dims.push_back(dice_.Between(1, 4));
  Keep(Make(OpKind::kTorchIndexSelect, {x, ValueOf(index, true)}, select), x.exact);
}

}  // namespace acceld::compiler
