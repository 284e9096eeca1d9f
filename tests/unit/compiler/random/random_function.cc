#include "tests/unit/compiler/random/random_function.h"

#include <algorithm>
#include <utility>

namespace acceld::compiler {

using ir::DType;
using ir::OpKind;

ir::Literal RandomLiteral(Dice& dice, const ir::TensorType& type) {
  const bool splat = dice.OneIn(3);
  const ir::TensorType stored = splat ? ir::TensorType{type.dtype, {}} : type;
  std::string bytes(stored.size_bytes(), '\0');
  for (int64_t i = 0; i < stored.num_elements(); ++i) {
    const auto quarter = [&] { return 0.25 * static_cast<double>(dice.Between(-16, 16)); };
    if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, quarter());
    } else if (ir::IsComplex(type.dtype)) {
      ir::WriteComplex(type.dtype, bytes.data(), i, {quarter(), quarter()});
    } else {
      int64_t value = dice.Between(-4, 6);
      if (dice.OneIn(12)) value = dice.Below(int64_t{1} << 62) - (int64_t{1} << 61);
      ir::WriteInt(type.dtype, bytes.data(), i, type.dtype == DType::kI1 ? value & 1 : value);
    }
  }
  return ir::Literal::FromBytes(type, bytes).value();
}

DType RandomFunction::AnyDType() {
  static constexpr DType kUsual[] = {DType::kF32,  DType::kF32, DType::kI32, DType::kI1,
                                     DType::kUI32, DType::kF64, DType::kI64, DType::kBF16};
  if (!dice_.OneIn(any_dtype_ ? 1 : 5)) return dice_.Pick(kUsual);
  return static_cast<DType>(dice_.Below(ir::kNumDTypes));
}

ir::Dims RandomFunction::AnyDims() {
  static constexpr int64_t kSizes[] = {1, 1, 2, 2, 3, 4, 5, 7, 8, 16, 17, 33, 150};
  ir::Dims dims;
  int64_t elements = 1;
  for (int64_t rank = dice_.Below(dice_.OneIn(4) ? 6 : 4); rank > 0; --rank) {
    int64_t size = dice_.OneIn(40) ? 0 : dice_.Pick(kSizes);
    if (elements * size > 2000) size = 1;
    if (size != 0) elements *= size;
    dims.push_back(size);
  }
  return dims;
}

RandomFunction::Value RandomFunction::AnyValue(bool exact) {
  for (int tries = 0; tries < 8; ++tries) {
    // Mostly the newest: chains fuse, long lives fill the arena.
    const auto n = static_cast<int64_t>(scope_.size());
    const int64_t from = dice_.OneIn(2) ? std::max<int64_t>(0, n - 4) : 0;
    const Value v = scope_[dice_.Between(from, n - 1)];
    if (v.exact || !exact) return v;
  }
  return ConstantOf({AnyDType(), AnyDims()});
}

RandomFunction::Value RandomFunction::ConstantOf(const ir::TensorType& type) {
  const Value v{b_.Constant(RandomLiteral(dice_, type)), true};
  scope_.push_back(v);
  return v;
}

RandomFunction::Value RandomFunction::ValueOf(const ir::TensorType& type, bool exact) {
  Values fit;
  for (const Value& v : scope_) {
    if (b_.TypeOf(v.id).tensor() == type && (v.exact || !exact)) fit.push_back(v);
  }
  if (!fit.empty() && !dice_.OneIn(6)) return dice_.Pick(fit);
  return ConstantOf(type);
}

RandomFunction::Value RandomFunction::RankedValue(int64_t rank, bool exact) {
  const auto fits = [&](Value v) {
    return TypeOf(v).rank() >= rank && (v.exact || !exact) && TypeOf(v).num_elements() > 0;
  };
  for (int tries = 0; tries < 12; ++tries) {
    const Value v = dice_.Pick(scope_);
    if (fits(v)) return v;
  }
  ir::TensorType type{AnyDType(), AnyDims()};
  for (int64_t& size : type.dims) size = std::max<int64_t>(size, 1);
  while (type.rank() < rank) type.dims.push_back(dice_.Between(1, 3));
  return ConstantOf(type);
}

void RandomFunction::Keep(absl::StatusOr<std::vector<ir::ValueId>> ids, bool exact) {
  if (!ids.ok()) return;
  for (ir::ValueId id : *ids) Keep(id, exact);
}

void RandomFunction::Keep(absl::StatusOr<ir::ValueId> id, bool exact) {
  if (!id.ok()) return;
  const ir::TensorType& type = b_.TypeOf(*id).tensor();
  if (type.num_elements() > 20'000) return;
  if (!exact && ir::IsFloat(type.dtype)) {
    KeepRounded(*id);
  } else {
    scope_.push_back({*id, exact || !ir::IsComplex(type.dtype)});
  }
}

void RandomFunction::KeepRounded(ir::ValueId id) {
  const ir::TensorType scalar{b_.TypeOf(id).tensor().dtype, {}};
  const ir::ValueId low = b_.Constant(ir::Literal::Filled(scalar, -8));
  const ir::ValueId high = b_.Constant(ir::Literal::Filled(scalar, 8));
  const auto clamped = b_.AddOne(OpKind::kClamp, {low, id, high});
  if (clamped.ok()) scope_.push_back({*clamped, false});
}

absl::StatusOr<ir::ValueId> RandomFunction::Make(OpKind kind, std::vector<Value> operands,
                                                 ir::OpAttributes attributes,
                                                 const ir::TensorType* type) {
  std::vector<ir::ValueId> ids;
  for (const Value& v : operands) ids.push_back(v.id);
  std::vector<ir::Type> declared;
  if (type != nullptr) declared.emplace_back(*type);
  return b_.AddOne(kind, std::move(ids), std::move(attributes), declared);
}

void RandomFunction::Step() {
  using Try = void (RandomFunction::*)();
  static constexpr Try kTries[] = {&RandomFunction::TryElementwise,
                                   &RandomFunction::TryElementwise,
                                   &RandomFunction::TryElementwise,
                                   &RandomFunction::TryElementwise,
                                   &RandomFunction::TryTranscendental,
                                   &RandomFunction::TryConvert,
                                   &RandomFunction::TrySelect,
                                   &RandomFunction::TryMovement,
                                   &RandomFunction::TryBroadcast,
                                   &RandomFunction::TryBroadcast,
                                   &RandomFunction::TryReshape,
                                   &RandomFunction::TrySlices,
                                   &RandomFunction::TryPad,
                                   &RandomFunction::TryConcatenate,
                                   &RandomFunction::TryDynamicSlice,
                                   &RandomFunction::TryGather,
                                   &RandomFunction::TryReduce,
                                   &RandomFunction::TryReduce,
                                   &RandomFunction::TryReduceWindow,
                                   &RandomFunction::TryScatter,
                                   &RandomFunction::TrySort,
                                   &RandomFunction::TryDot,
                                   &RandomFunction::TryMap,
                                   &RandomFunction::TryBatchNorm,
                                   &RandomFunction::TryRandomBits,
                                   &RandomFunction::TryEinsum,
                                   &RandomFunction::TryTorchIndexSelect,
                                   &RandomFunction::TryConvolution,
                                   &RandomFunction::TrySelectAndScatter,
                                   &RandomFunction::TryIf,
                                   &RandomFunction::TryWhile,
                                   &RandomFunction::TryCall};
  (this->*dice_.Pick(kTries))();
}

ir::Function RandomFunction::Build(int64_t num_steps) {
  any_dtype_ = dice_.OneIn(6);
  const int64_t num_parameters = dice_.Below(4);
  ir::TensorType type;
  for (int64_t i = 0; i < num_parameters; ++i) {
    // Equal types meet more often.
    if (i == 0 || dice_.OneIn(2)) type = {AnyDType(), AnyDims()};
    scope_.push_back({b_.AddParameter(type), true});
  }
  if (scope_.empty()) ConstantOf({AnyDType(), AnyDims()});
  for (int64_t i = 0; i < num_steps; ++i) Step();
  std::vector<ir::ValueId> results;
  for (int64_t i = dice_.Between(1, 4); i > 0; --i) {
    const Value v = AnyValue();
    results.push_back(v.id);
    result_exactness_.push_back(v.exact);
  }
  return b_.Finish(results);
}

}  // namespace acceld::compiler
