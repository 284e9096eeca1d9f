#include "tests/unit/compiler/spmd/random/sharded_function.h"

#include <algorithm>

#include "common/ir/processes/sharding.h"

namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

namespace {

// Values have no more elements than this.
constexpr int64_t kMaxElements = 600;
constexpr size_t kMaxParameters = 6;

bool IsRealOrComplex(DType dtype) { return ir::IsFloat(dtype) || ir::IsComplex(dtype); }

// Numbers from -bound to bound, or from 0 to bound.
ir::Literal SmallNumbers(Dice& dice, const ir::TensorType& type, int64_t bound) {
  const ir::TensorType stored = dice.OneIn(4) ? ir::TensorType{type.dtype, {}} : type;
  std::string bytes(static_cast<size_t>(stored.size_bytes()), '\0');
  for (int64_t i = 0; i < stored.num_elements(); ++i) {
    const auto number = [&] { return static_cast<double>(dice.Between(-bound, bound)); };
    if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, number());
    } else if (ir::IsComplex(type.dtype)) {
      ir::WriteComplex(type.dtype, bytes.data(), i, {number(), number()});
    } else if (type.dtype == DType::kI1) {
      ir::WriteInt(type.dtype, bytes.data(), i, dice.Below(2));
    } else {
      ir::WriteInt(type.dtype, bytes.data(), i,
                   dice.Between(ir::IsUnsigned(type.dtype) ? 0 : -bound, bound));
    }
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

}  // namespace

ir::Literal SmallLiteral(Dice& dice, const ir::TensorType& type) {
  return SmallNumbers(dice, type, ShardedFunction::kSmall);
}

int64_t ShardedFunction::ExactLimit(DType dtype) {
  switch (ir::RealPartOf(dtype)) {
    case DType::kBF16:
      return int64_t{1} << 7;
    case DType::kF16:
      return int64_t{1} << 10;
    case DType::kF32:
      return int64_t{1} << 23;
    default:
      return int64_t{1} << 50;
  }
}

ShardedFunction::ShardedFunction(std::string name, Place place, ProgramContext& context)
    : context_(context),
      dice_(context.dice),
      place_(place),
      is_entry_(name == "main"),
      b_(std::move(name), /*is_public=*/is_entry_),
      is_manual_(place == Place::kManual) {
  if (is_manual_) manual_ = AllAxesOf(mesh());
}

DType ShardedFunction::AnyDType() {
  static constexpr DType kUsual[] = {DType::kF32, DType::kF32, DType::kF32, DType::kF64,
                                     DType::kI32, DType::kI32, DType::kI1};
  static constexpr DType kOthers[] = {DType::kBF16, DType::kF16,  DType::kI64, DType::kUI32,
                                      DType::kI8,   DType::kUI8,  DType::kI16, DType::kUI64,
                                      DType::kC64,  DType::kC128, DType::kUI16};
  return dice_.OneIn(4) ? dice_.Pick(kOthers) : dice_.Pick(kUsual);
}

ir::Dims ShardedFunction::AnyDims(int64_t min_rank, int64_t max_rank) {
  static constexpr int64_t kSizes[] = {1, 2, 2, 3, 4, 4, 4, 6, 6, 8, 8, 8, 12, 16, 5};
  ir::Dims dims;
  int64_t elements = 1;
  for (int64_t rank = dice_.Between(min_rank, max_rank); rank > 0; --rank) {
    int64_t size = dice_.Pick(kSizes);
    if (dice_.OneIn(200)) size = 0;
    if (elements * size > kMaxElements) size = 2;
    if (elements * size > kMaxElements) size = 1;
    if (size != 0) elements *= size;
    dims.push_back(size);
  }
  return dims;
}

ShardedFunction::Value ShardedFunction::AnyValue(int64_t min_rank) {
  for (int tries = 0; tries < 8 && !scope_.empty(); ++tries) {
    const auto n = static_cast<int64_t>(scope_.size());
    // Mostly the newest.
    const int64_t from = dice_.OneIn(2) ? std::max<int64_t>(0, n - 4) : 0;
    const Value v = scope_[static_cast<size_t>(dice_.Between(from, n - 1))];
    if (TypeOf(v).rank() >= min_rank) return v;
  }
  return Fresh({AnyDType(), AnyDims(min_rank)});
}

ShardedFunction::Value ShardedFunction::NumberValue(int64_t min_rank, bool integer, bool real,
                                                    bool complex) {
  const auto fits = [&](DType dtype) {
    return (integer && ir::IsInteger(dtype)) || (real && ir::IsFloat(dtype)) ||
           (complex && ir::IsComplex(dtype));
  };
  for (int tries = 0; tries < 10; ++tries) {
    const Value v = AnyValue(min_rank);
    if (v.exact && fits(TypeOf(v).dtype) && TypeOf(v).num_elements() > 0) return v;
  }
  ir::TensorType type{DType::kF32, AnyDims(min_rank)};
  for (int64_t& size : type.dims) size = std::max<int64_t>(size, 1);
  do {
    type.dtype = AnyDType();
  } while (!fits(type.dtype));
  return Fresh(type);
}

ShardedFunction::Value ShardedFunction::ValueOf(const ir::TensorType& type, bool exact) {
  Values fit;
  for (const Value& v : scope_) {
    if (TypeOf(v) == type && (v.exact || !exact)) fit.push_back(v);
  }
  if (!fit.empty() && !dice_.OneIn(5)) return dice_.Pick(fit);
  return Fresh(ir::TensorType(type));
}

ShardedFunction::Value ShardedFunction::Fresh(const ir::TensorType& type) {
  const int64_t bound = type.dtype == DType::kI1 ? 1 : kSmall;
  const bool takes_parameter =
      is_entry_ && !is_manual_ && !dice_.OneIn(3) && parameter_shardings_.size() < kMaxParameters;
  if (takes_parameter) {
    const Value v{.id = b_.AddParameter(type), .bound = bound};
    auto& sharding = parameter_shardings_.emplace_back();
    if (!dice_.OneIn(4)) sharding = SignatureSharding(type);
    scope_.push_back(v);
    return v;
  }
  const Value v{.id = b_.Constant(SmallNumbers(dice_, type, kSmall)), .bound = bound};
  scope_.push_back(v);
  return v;
}

ir::Sharding ShardedFunction::SignatureSharding(const ir::TensorType& type) {
  const auto number = dice_.Below(static_cast<int64_t>(context_.meshes.size()));
  const ir::Mesh& mesh = context_.meshes[static_cast<size_t>(number)];
  return WithParts(RandomSharding(dice_, context_.meshes, number, type.dims, AllAxesOf(mesh),
                                  /*divides=*/true),
                   type);
}

ir::Sharding ShardedFunction::WithParts(ir::Sharding sharding, const ir::TensorType& type) {
  if (!dice_.OneIn(4)) return sharding;
  const ir::Mesh& mesh = context_.meshes[static_cast<size_t>(sharding.mesh)];
  for (int64_t axis = 0; axis < static_cast<int64_t>(mesh.axes.size()); ++axis) {
    ir::Sharding more = sharding;
    more.unreduced.push_back({.axis = axis});
    if (ir::CheckSharding(more, type, context_.meshes).ok() && dice_.OneIn(2)) sharding = more;
  }
  const bool has_order = ir::IsFloat(type.dtype) || ir::IsInteger(type.dtype);
  if (!sharding.unreduced.empty() && has_order && dice_.OneIn(4)) {
    sharding.reduction = dice_.OneIn(2) ? ir::Reduction::kMax : ir::Reduction::kMin;
  }
  return sharding;
}

ShardedFunction::Value ShardedFunction::Scalar(DType dtype, int64_t value) {
  return {.id = b_.Constant(ir::Literal::Filled({dtype, {}}, static_cast<double>(value))),
          .bound = std::max<int64_t>(1, std::abs(value))};
}

ShardedFunction::Value ShardedFunction::Clamped(const Value& v, int64_t limit) {
  const DType dtype = TypeOf(v).dtype;
  const Value low = Scalar(dtype, ir::IsUnsigned(dtype) ? 0 : -limit);
  const Value high = Scalar(dtype, limit);
  const auto id = Make(OpKind::kClamp, {low, v, high});
  if (!id.ok()) return v;
  Value clamped = v;
  clamped.id = *id;
  if (v.bound > 0 || ir::IsInteger(dtype)) clamped.bound = limit;
  return clamped;
}

ShardedFunction::Value ShardedFunction::Small(const Value& v, int64_t limit) {
  if ((v.bound > 0 && v.bound <= limit) || ir::IsComplex(TypeOf(v).dtype)) return v;
  Value whole = v;
  if (v.bound == 0 && ir::IsFloat(TypeOf(v).dtype)) {
    const auto floor = Make(OpKind::kFloor, {Clamped(v, limit)});
    if (floor.ok()) whole = {.id = *floor, .bound = limit, .exact = v.exact, .varies = v.varies};
    // NaN is no integer.
    const auto is_number = Make(OpKind::kIsFinite, {whole});
    ir::TensorType type = TypeOf(v);
    const Value zeros{.id = b_.Constant(ir::Literal::Zeros(std::move(type))), .bound = 1};
    const auto id = b_.AddOne(OpKind::kSelect, {*is_number, whole.id, zeros.id});
    if (id.ok()) whole.id = *id;
    return whole;
  }
  return Clamped(whole, limit);
}

void ShardedFunction::Keep(Value v) {
  const ir::TensorType type = TypeOf(v);
  if (type.num_elements() > kMaxElements) return;
  const bool is_rounded = IsRealOrComplex(type.dtype);
  if (is_rounded && v.bound > ExactLimit(type.dtype)) v.bound = 0;
  if (ir::IsFloat(type.dtype) && v.bound == 0) {
    // Sums of other numbers would be rounded differently.
    if (ir::BitsOf(type.dtype) < 32) return;
    v = Clamped(v, kSmall);
  }
  scope_.push_back(v);
  if (!dice_.OneIn(5)) return;
  TryConstraint();
}

void ShardedFunction::Keep(absl::StatusOr<ir::ValueId> id, int64_t bound, bool exact,
                           const Values& from) {
  if (!id.ok()) return;
  Value v{.id = *id, .bound = bound, .exact = exact};
  for (const Value& operand : from) {
    v.exact = v.exact && operand.exact;
    v.varies |= operand.varies;
  }
  const DType dtype = TypeOf(v).dtype;
  if (dtype == DType::kI1) v.bound = 1;
  Keep(v);
}

absl::StatusOr<ir::ValueId> ShardedFunction::Make(OpKind kind, const Values& operands,
                                                  ir::OpAttributes attributes,
                                                  const ir::TensorType* type) {
  std::vector<ir::ValueId> ids;
  for (const Value& v : operands) ids.push_back(v.id);
  std::vector<ir::Type> declared;
  if (type != nullptr) declared.emplace_back(*type);
  return b_.AddOne(kind, std::move(ids), std::move(attributes), declared);
}

void ShardedFunction::Step() {
  using Try = void (ShardedFunction::*)();
  static constexpr Try kTries[] = {
      &ShardedFunction::TryUnary,        &ShardedFunction::TryBinary,
      &ShardedFunction::TryBinary,       &ShardedFunction::TryTranscendental,
      &ShardedFunction::TryCompare,      &ShardedFunction::TrySelect,
      &ShardedFunction::TryConvert,      &ShardedFunction::TryBroadcast,
      &ShardedFunction::TryTranspose,    &ShardedFunction::TryReshape,
      &ShardedFunction::TryReshape,      &ShardedFunction::TryReverse,
      &ShardedFunction::TrySlice,        &ShardedFunction::TryPad,
      &ShardedFunction::TryConcatenate,  &ShardedFunction::TryDynamicSlice,
      &ShardedFunction::TryIota,         &ShardedFunction::TryGather,
      &ShardedFunction::TryGather,       &ShardedFunction::TryScatter,
      &ShardedFunction::TryScatter,      &ShardedFunction::TryReduce,
      &ShardedFunction::TryReduce,       &ShardedFunction::TryReduceTwo,
      &ShardedFunction::TryReduceWindow, &ShardedFunction::TrySelectAndScatter,
      &ShardedFunction::TrySort,         &ShardedFunction::TryDot,
      &ShardedFunction::TryDot,          &ShardedFunction::TryDot,
      &ShardedFunction::TryConvolution,  &ShardedFunction::TryConvolution,
      &ShardedFunction::TryCholesky,     &ShardedFunction::TryTriangularSolve,
      &ShardedFunction::TryFft,          &ShardedFunction::TryBranches,
      &ShardedFunction::TryWhile,        &ShardedFunction::TryCall,
      &ShardedFunction::TryConstraint,   &ShardedFunction::TryGroup,
      &ShardedFunction::TryHostCall,     &ShardedFunction::TryBarrier,
      &ShardedFunction::TryManual,       &ShardedFunction::TryManual,
      &ShardedFunction::TryCollective,   &ShardedFunction::TryCollective,
      &ShardedFunction::TryCollective};
  (this->*dice_.Pick(kTries))();
}

ir::Function ShardedFunction::Build(int64_t num_parameters, int64_t num_steps) {
  ir::TensorType type;
  for (int64_t i = 0; i < num_parameters; ++i) {
    // Equal types meet more often.
    if (i == 0 || dice_.OneIn(2)) type = {AnyDType(), AnyDims(is_entry_ ? 1 : 0)};
    if (is_entry_ && !is_manual_) {
      Fresh(type);
    } else {
      scope_.push_back({.id = b_.AddParameter(type),
                        .bound = type.dtype == DType::kI1 ? 1 : 0,
                        .exact = true,
                        .varies = manual_});
    }
  }
  for (int64_t i = 0; i < num_steps; ++i) Step();
  std::vector<ir::ValueId> results;
  std::vector<std::optional<ir::Sharding>> result_shardings;
  for (int64_t i = dice_.Between(1, 3); i > 0; --i) {
    const Value v = AnyValue();
    results.push_back(v.id);
    exact_results_.push_back(v.exact);
    auto& sharding = result_shardings.emplace_back();
    if (!dice_.OneIn(3)) sharding = SignatureSharding(TypeOf(v));
  }
  ir::Function function = b_.Finish(results);
  if (is_entry_ && !is_manual_) {
    function.parameter_shardings = std::move(parameter_shardings_);
    function.result_shardings = std::move(result_shardings);
  }
  return function;
}

}  // namespace acceld::compiler::spmd
