#include "kernels/ir/build/kernel_builder.h"

#include <cstring>

#include "common/check.h"
#include "common/ir/types/float_formats.h"
#include "kernels/ir/build/scalar_fold.h"

namespace acceld::kernels {
namespace {

// Values of Key::code for values that are not made by a ScalarOp.
constexpr uint32_t kConstantCode = 1000;
constexpr uint32_t kLoadCode = 1001;

DType ResultTypeOf(ScalarOp op, absl::Span<const DType> operands) {
  if (op == ScalarOp::kSelect) return operands[1];
  const bool is_predicate = op == ScalarOp::kEq || op == ScalarOp::kGe || op == ScalarOp::kGt ||
                            op == ScalarOp::kIsFinite || op == ScalarOp::kLe ||
                            op == ScalarOp::kLt || op == ScalarOp::kNe;
  return is_predicate ? DType::kI1 : operands[0];
}

bool IsCommutative(ScalarOp op) {
  return op == ScalarOp::kAdd || op == ScalarOp::kMultiply || op == ScalarOp::kAnd ||
         op == ScalarOp::kOr || op == ScalarOp::kXor || op == ScalarOp::kEq || op == ScalarOp::kNe;
}

}  // namespace

KernelBuilder::KernelBuilder(std::string name) {
  kernel_.name = std::move(name);
  OpenScope(&kernel_.body);
}

KernelBuilder::~KernelBuilder() = default;

void KernelBuilder::OpenScope(Block* block) { scopes_.push_back({next_scope_++, block, {}}); }

bool KernelBuilder::IsOpen(uint64_t scope) const {
  for (const Scope& open : scopes_) {
    if (open.id == scope) return true;
  }
  return false;
}

uint32_t KernelBuilder::AddBuffer(BufferParameter parameter) {
  ACCELD_CHECK(kernel_.scratch.empty());
  kernel_.buffers.push_back(std::move(parameter));
  return static_cast<uint32_t>(kernel_.buffers.size() - 1);
}

uint32_t KernelBuilder::AddScratch(BufferParameter parameter) {
  kernel_.scratch.push_back(std::move(parameter));
  return static_cast<uint32_t>(kernel_.buffers.size() + kernel_.scratch.size() - 1);
}

Var KernelBuilder::NewVar(DType dtype) {
  kernel_.var_types.push_back(dtype);
  definitions_.emplace_back();
  return static_cast<Var>(kernel_.var_types.size() - 1);
}

void KernelBuilder::Append(Statement statement) {
  scopes_.back().block->push_back(std::move(statement));
}

absl::optional<Var> KernelBuilder::FindValue(const Key& key) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->values.find(key);
    if (found != scope->values.end()) return found->second;
  }
  return absl::nullopt;
}

absl::optional<uint64_t> KernelBuilder::ConstantBits(Var var) const {
  return definitions_[var].constant;
}

Var KernelBuilder::Constant(DType dtype, uint64_t bits) {
  bits = TruncateToWidth(dtype, bits);
  const Key key{kConstantCode, dtype, bits};
  if (const absl::optional<Var> known = FindValue(key)) return *known;
  const Var result = NewVar(dtype);
  definitions_[result].constant = bits;
  if (dtype == DType::kI64) definitions_[result].range = IndexRange::Of(static_cast<int64_t>(bits));
  Append({ConstantStatement{result, bits}});
  scopes_.back().values.emplace(key, result);
  return result;
}

Var KernelBuilder::ConstantInt(DType dtype, int64_t value) {
  ACCELD_CHECK(!ir::IsFloat(dtype) && !ir::IsComplex(dtype));
  return Constant(dtype, static_cast<uint64_t>(value));
}

Var KernelBuilder::ConstantFloat(DType dtype, double value) {
  ACCELD_CHECK(ir::IsFloat(dtype));
  uint64_t bits = 0;
  if (dtype == DType::kF64) {
    std::memcpy(&bits, &value, sizeof value);
  } else if (dtype == DType::kF32) {
    const float narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof narrow);
  } else {
    bits = ir::EncodeFloat(dtype, value);
  }
  return Constant(dtype, bits);
}

Var KernelBuilder::Apply(ScalarOp op, absl::Span<const Var> operands) {
  ACCELD_CHECK(op != ScalarOp::kConvert && op != ScalarOp::kBitcast);
  ACCELD_CHECK(static_cast<int>(operands.size()) == ArityOf(op));
  std::vector<DType> types;
  for (Var operand : operands) types.push_back(TypeOf(operand));
  for (size_t i = op == ScalarOp::kSelect ? 2 : 1; i < operands.size(); ++i) {
    ACCELD_CHECK(types[i] == types[i - 1]);
  }
  return ApplyTyped(op, operands, ResultTypeOf(op, types));
}

Var KernelBuilder::Product(Var a, Var b) {
  const DType dtype = TypeOf(a);
  ACCELD_CHECK(TypeOf(b) == dtype);
  return ApplyTyped(ScalarOp::kMultiply, {a, b}, dtype, /*may_contract=*/ir::IsFloat(dtype));
}

Var KernelBuilder::Convert(DType to, Var value) {
  if (TypeOf(value) == to) return value;
  return ApplyTyped(ScalarOp::kConvert, {value}, to);
}

Var KernelBuilder::Bitcast(DType to, Var value) {
  if (TypeOf(value) == to) return value;
  ACCELD_CHECK(ir::BitsOf(TypeOf(value)) == ir::BitsOf(to));
  return ApplyTyped(ScalarOp::kBitcast, {value}, to);
}

Var KernelBuilder::ApplyTyped(ScalarOp op, absl::Span<const Var> operands, DType result_type,
                              bool may_contract) {
  if (const absl::optional<Var> simple = Simplify(op, operands, result_type)) return *simple;
  Var sorted[3] = {0, 0, 0};
  for (size_t i = 0; i < operands.size(); ++i) sorted[i] = operands[i];
  if (IsCommutative(op) && sorted[0] > sorted[1]) std::swap(sorted[0], sorted[1]);
  const Key key{static_cast<uint32_t>(op), result_type, sorted[0],
                operands.size() > 1 ? sorted[1] : 0, operands.size() > 2 ? sorted[2] : 0};
  if (const absl::optional<Var> known = FindValue(key)) return *known;

  const Var result = NewVar(result_type);
  Definition& definition = definitions_[result];
  definition.op = op;
  definition.is_scalar = true;
  for (size_t i = 0; i < operands.size(); ++i) definition.operands[i] = operands[i];
  if (result_type == DType::kI64) {
    if (operands.size() == 2) {
      definition.range =
          RangeOf(op, definitions_[operands[0]].range, definitions_[operands[1]].range);
    } else if (op == ScalarOp::kSelect) {
      const IndexRange& a = definitions_[operands[1]].range;
      const IndexRange& b = definitions_[operands[2]].range;
      definition.range = {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
  }
  Append({ScalarStatement{result, op, std::vector<Var>(operands.begin(), operands.end()),
                          may_contract}});
  scopes_.back().values.emplace(key, result);
  return result;
}

Var KernelBuilder::Load(uint32_t buffer, Var index) {
  ACCELD_CHECK(TypeOf(index) == DType::kI64);
  const BufferParameter& parameter = kernel_.Buffer(buffer);
  const bool constant_memory =
      buffer < kernel_.buffers.size() && parameter.access == BufferParameter::Access::kRead;
  const Key key{kLoadCode, parameter.dtype, buffer, index};
  if (constant_memory) {
    if (const absl::optional<Var> known = FindValue(key)) return *known;
  }
  const DType dtype = parameter.dtype;
  const Var result = NewVar(dtype);
  Append({LoadStatement{result, buffer, index}});
  if (constant_memory) scopes_.back().values.emplace(key, result);
  return result;
}

void KernelBuilder::Store(uint32_t buffer, Var index, Var value) {
  ACCELD_CHECK(TypeOf(index) == DType::kI64);
  ACCELD_CHECK(TypeOf(value) == kernel_.Buffer(buffer).dtype);
  Append({StoreStatement{buffer, index, value}});
}

void KernelBuilder::For(ForStatement::Kind kind, int64_t extent,
                        const std::function<void(Var)>& body) {
  For(kind, extent, {}, [&](Var induction, absl::Span<const Var>) {
    body(induction);
    return std::vector<Var>();
  });
}

std::vector<Var> KernelBuilder::For(
    ForStatement::Kind kind, int64_t extent, absl::Span<const Var> initial,
    const std::function<std::vector<Var>(Var, absl::Span<const Var>)>& body) {
  ACCELD_CHECK(kind != ForStatement::Kind::kParallel || initial.empty());
  const std::vector<Var> first(initial.begin(), initial.end());
  if (extent <= 0) return first;
  if (extent == 1) return body(Index(0), first);
  ForStatement loop;
  loop.kind = kind;
  loop.extent = extent;
  loop.induction = NewVar(DType::kI64);
  definitions_[loop.induction].range = {0, extent - 1};
  const std::vector<Var> current = NewVarsLike(first);
  OpenScope(&loop.body);
  const std::vector<Var> next = body(loop.induction, current);
  CloseScope();
  const std::vector<Var> results = Carry(first, current, next, loop.carried);
  Append({std::move(loop)});
  return results;
}

void KernelBuilder::Once(const std::function<void()>& body) {
  ForStatement loop;
  loop.kind = ForStatement::Kind::kParallel;
  loop.extent = 1;
  loop.induction = NewVar(DType::kI64);
  definitions_[loop.induction].range = {0, 0};
  OpenScope(&loop.body);
  body();
  CloseScope();
  Append({std::move(loop)});
}

std::vector<Var> KernelBuilder::While(
    absl::Span<const Var> initial, const std::function<Var(absl::Span<const Var>)>& condition,
    const std::function<std::vector<Var>(absl::Span<const Var>)>& body) {
  WhileStatement loop;
  const std::vector<Var> current = NewVarsLike(initial);
  OpenScope(&loop.condition_body);
  loop.condition = condition(current);
  CloseScope();
  ACCELD_CHECK(TypeOf(loop.condition) == DType::kI1);
  OpenScope(&loop.body);
  const std::vector<Var> next = body(current);
  CloseScope();
  const std::vector<Var> results = Carry(initial, current, next, loop.carried);
  Append({std::move(loop)});
  return results;
}

std::vector<Var> KernelBuilder::NewVarsLike(absl::Span<const Var> initial) {
  std::vector<Var> vars;
  for (Var value : initial) vars.push_back(NewVar(TypeOf(value)));
  return vars;
}

std::vector<Var> KernelBuilder::Carry(absl::Span<const Var> initial, absl::Span<const Var> current,
                                      absl::Span<const Var> next,
                                      std::vector<CarriedValue>& carried) {
  ACCELD_CHECK(next.size() == initial.size());
  const std::vector<Var> results = NewVarsLike(initial);
  for (size_t i = 0; i < initial.size(); ++i) {
    ACCELD_CHECK(TypeOf(next[i]) == TypeOf(initial[i]));
    carried.push_back({initial[i], current[i], next[i], results[i]});
  }
  return results;
}

void KernelBuilder::ForEach(ForStatement::Kind kind, absl::Span<const int64_t> extents,
                            const std::function<void(absl::Span<const Var>)>& body) {
  std::vector<Var> indices;
  // Recurses once for each dimension; the limits on tensor types bound the rank.
  const std::function<void()> nest = [&] {
    if (indices.size() == extents.size()) {
      body(indices);
      return;
    }
    For(kind, extents[indices.size()], [&](Var induction) {
      indices.push_back(induction);
      nest();
      indices.pop_back();
    });
  };
  nest();
}

void KernelBuilder::If(Var condition, const std::function<void()>& then_body) {
  If(
      condition,
      [&] {
        then_body();
        return std::vector<Var>();
      },
      [] { return std::vector<Var>(); });
}

std::vector<Var> KernelBuilder::If(Var condition,
                                   const std::function<std::vector<Var>()>& then_body,
                                   const std::function<std::vector<Var>()>& else_body) {
  return If(IfStatement{.condition = condition}, then_body, else_body);
}

std::vector<Var> KernelBuilder::RareIf(Var condition,
                                       const std::function<std::vector<Var>()>& then_body,
                                       const std::function<std::vector<Var>()>& else_body) {
  return If(IfStatement{.condition = condition, .is_rare = true}, then_body, else_body);
}

std::vector<Var> KernelBuilder::If(IfStatement statement,
                                   const std::function<std::vector<Var>()>& then_body,
                                   const std::function<std::vector<Var>()>& else_body) {
  ACCELD_CHECK(TypeOf(statement.condition) == DType::kI1);
  if (const absl::optional<uint64_t> known = ConstantBits(statement.condition)) {
    return *known != 0 ? then_body() : else_body();
  }
  OpenScope(&statement.then_body);
  statement.then_values = then_body();
  CloseScope();
  OpenScope(&statement.else_body);
  statement.else_values = else_body();
  CloseScope();
  ACCELD_CHECK(statement.then_values.size() == statement.else_values.size());
  for (size_t i = 0; i < statement.then_values.size(); ++i) {
    const DType dtype = TypeOf(statement.then_values[i]);
    ACCELD_CHECK(dtype == TypeOf(statement.else_values[i]));
    statement.results.push_back(NewVar(dtype));
  }
  const std::vector<Var> results = statement.results;
  Append({std::move(statement)});
  return results;
}

Var KernelBuilder::Linearize(absl::Span<const Var> indices, absl::Span<const int64_t> strides,
                             int64_t offset) {
  ACCELD_CHECK(indices.size() == strides.size());
  Var sum = Index(offset);
  for (size_t i = 0; i < indices.size(); ++i) {
    sum = Apply(ScalarOp::kAdd, {sum, Apply(ScalarOp::kMultiply, {indices[i], Index(strides[i])})});
  }
  return sum;
}

std::vector<Var> KernelBuilder::Delinearize(Var linear, absl::Span<const int64_t> dims) {
  std::vector<Var> indices(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    Var index = Apply(ScalarOp::kDivide, {linear, Index(std::max<int64_t>(stride, 1))});
    // The first dimension needs no remainder, because `linear` is in bounds.
    if (i != 0) index = Apply(ScalarOp::kRemainder, {index, Index(std::max<int64_t>(dims[i], 1))});
    indices[i] = index;
    stride *= dims[i];
  }
  return indices;
}

Kernel KernelBuilder::Finish() {
  ACCELD_CHECK(scopes_.size() == 1);
  return std::move(kernel_);
}

}  // namespace acceld::kernels
