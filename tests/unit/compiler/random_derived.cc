#include <utility>

#include "tests/unit/compiler/random_function.h"

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

}  // namespace acceld::compiler
