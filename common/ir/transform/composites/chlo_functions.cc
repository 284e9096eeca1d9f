#include "common/ir/transform/composites/chlo_functions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/chlo/chlo.h"
#include "common/ir/transform/composites/composite_rule.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::ir {
namespace {

absl::StatusOr<Function> Expand(absl::string_view name, const TensorType& type, size_t count) {
  const std::string symbol = absl::StrCat(name, ".", absl::StrJoin(type.dims, "x"),
                                          type.dims.empty() ? "" : "x", DTypeName(type.dtype));
  FunctionBuilder builder(symbol, /*is_public=*/false);
  ImportedOp op{.name = std::string(name)};
  for (size_t i = 0; i < count; ++i) op.operands.push_back(builder.AddParameter(type));
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ExpandChlo(builder, op));
  return builder.Finish(std::move(results));
}

// A derivative with respect to the last operand, `x`, of a function whose value is `y`.
struct Context {
  Derivation& d;
  Emitter& e;
  ValueId x, y;

  ValueId Number(double value) { return e.Fill(x, value); }
  ValueId Function(absl::string_view name, std::vector<ValueId> operands) {
    return ChloFunction(d.function().differentiator().module(), e, name, std::move(operands));
  }
  // exp(-x^2) times a number.
  ValueId Bell(double factor) {
    return e.Mul(Number(factor), e.Op(OpKind::kExponential, {e.Neg(e.Mul(x, x))}));
  }
  ValueId OneMinusSquare() { return e.Sub(Number(1), e.Mul(x, x)); }
  ValueId Rsqrt(ValueId z) { return e.Op(OpKind::kRsqrt, {z}); }
};
using Derivative = ValueId (*)(Context& c);

struct Entry {
  absl::string_view name;
  Derivative derivative;
};

constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;

// The derivatives are those of JAX's lax.
constexpr Entry kEntries[] = {
    {"chlo.acos", [](Context& c) { return c.e.Neg(c.Rsqrt(c.OneMinusSquare())); }},
    {"chlo.acosh",
     [](Context& c) {
       const ValueId one = c.Number(1);
       return c.Rsqrt(c.e.Mul(c.e.Sub(c.x, one), c.e.Add(c.x, one)));
     }},
    {"chlo.asin", [](Context& c) { return c.Rsqrt(c.OneMinusSquare()); }},
    {"chlo.asinh", [](Context& c) { return c.Rsqrt(c.e.Add(c.e.Mul(c.x, c.x), c.Number(1))); }},
    {"chlo.atan",
     [](Context& c) { return c.e.Div(c.Number(1), c.e.Add(c.Number(1), c.e.Mul(c.x, c.x))); }},
    {"chlo.atanh",
     [](Context& c) {
       const ValueId one = c.Number(1);
       return c.e.Div(c.e.Div(one, c.e.Add(one, c.x)), c.e.Sub(one, c.x));
     }},
    {"chlo.cosh", [](Context& c) { return c.Function("chlo.sinh", {c.x}); }},
    {"chlo.digamma", [](Context& c) { return c.Function("chlo.polygamma", {c.Number(1), c.x}); }},
    {"chlo.erf", [](Context& c) { return c.Bell(kTwoOverRootPi); }},
    {"chlo.erf_inv",
     [](Context& c) {
       return c.e.Mul(c.Number(1 / kTwoOverRootPi),
                      c.e.Op(OpKind::kExponential, {c.e.Mul(c.y, c.y)}));
     }},
    {"chlo.erfc", [](Context& c) { return c.Bell(-kTwoOverRootPi); }},
    {"chlo.lgamma", [](Context& c) { return c.Function("chlo.digamma", {c.x}); }},
    {"chlo.polygamma",
     [](Context& c) {
       const ValueId next = c.e.Add(c.d.operand(0), c.Number(1));
       return c.Function("chlo.polygamma", {next, c.x});
     }},
    {"chlo.sinh", [](Context& c) { return c.Function("chlo.cosh", {c.x}); }},
    {"chlo.zeta",
     [](Context& c) {
       const ValueId s = c.d.operand(0);
       return c.e.Neg(c.e.Mul(s, c.Function("chlo.zeta", {c.e.Add(s, c.Number(1)), c.x})));
     }},
};

size_t NumOperandsOf(absl::string_view name) {
  return name == "chlo.next_after" || name == "chlo.polygamma" || name == "chlo.zeta" ? 2 : 1;
}

}  // namespace

ValueId ChloFunction(Module& module, Emitter& e, absl::string_view name,
                     std::vector<ValueId> operands) {
  if (!e.ok()) return 0;
  absl::StatusOr<Function> function = Expand(name, e.TypeOf(operands[0]), operands.size());
  if (!function.ok()) {
    e.Fail(function.status());
    return 0;
  }
  const TensorType type = function->ResultTypes()[0].tensor();
  const Function* known = module.Find(function->name);
  std::string symbol = function->name;
  if (known == nullptr || !(*known == *function)) {
    symbol = AddFunction(module, *std::move(function), symbol);
  }
  return e.Op(OpKind::kComposite, std::move(operands),
              CompositeAttributes{.name = std::string(name), .decomposition = {symbol}}, &type);
}

absl::Status CheckChloFunction(absl::string_view name, const std::vector<Type>& operands,
                               const std::vector<Type>& results) {
  if (FindCompositeRule(name) == nullptr) return absl::OkStatus();
  const size_t expected = NumOperandsOf(name);
  const bool fits =
      operands.size() == expected && results.size() == 1 && HasTangents(results[0]) &&
      std::all_of(operands.begin(), operands.end(), [&](const Type& t) { return t == results[0]; });
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is (", ToString(operands), ") -> (", ToString(results), "); expected ",
                     expected, expected == 1 ? " operand" : " operands",
                     " and one result, all of one type, floats or complex numbers"));
  }
  return Expand(name, results[0].tensor(), expected).status();
}

absl::Status DeriveChloFunction(Derivation& d) {
  const CompositeAttributes& attributes = d.As<CompositeAttributes>();
  FunctionDerivation& f = d.function();
  const std::vector<ValueId> results =
      AddComposite(f.differentiator().module(), f.known(), attributes, f.KnownOf(d.op().operands),
                   d.op().location);
  d.ReplaceResult(0, results[0]);
  if (attributes.name == "chlo.next_after") {
    // As good as its first operand, and independent of the second, as in JAX.
    if (d.IsActive(0)) d.AddTangent(d.tangent(0));
    return absl::OkStatus();
  }
  const size_t last = d.num_operands() - 1;
  if (last == 1 && d.IsActive(0)) {
    return d.Refuse(absl::StrCat(attributes.name, " has no derivative by its first operand"));
  }
  const auto* entry =
      std::find_if(std::begin(kEntries), std::end(kEntries),
                   [&](const Entry& candidate) { return candidate.name == attributes.name; });
  Context context{d, d.known, d.operand(last), results[0]};
  d.AddScaled(last, entry->derivative(context));
  return absl::OkStatus();
}

// Elementwise: the same function of larger operands.
absl::Status BatchChloFunction(Batching& b) {
  b.SetResult(ChloFunction(b.function().batcher().module(), b.emit,
                           b.As<CompositeAttributes>().name, b.BatchedOperands()));
  return absl::OkStatus();
}

}  // namespace acceld::ir
