#include "tests/jax/tracing/table.h"

namespace acceld::client::table {
namespace {

using Pair = std::pair<Tensor, Tensor>;

Tensor WithTangentRule(const Tensor& x) {
  return CustomJvp([](const Tensor& y) { return Sin(y) * y; },
                   [](const Tensor& y, const Tensor& dy) {
                     return std::pair(WithTangentRule(y), dy * Cos(y) * 3);
                   })(x);
}
const auto kCustomVjp = CustomVjp(
    [](const Tensor& x, const Tensor& y) { return Sin(x) * y; },
    [](const Tensor& x, const Tensor& y) { return std::pair(Sin(x) * y, Pair(Cos(x), y)); },
    [](const Pair& residuals, const Tensor& g) {
      return std::tuple(residuals.first * g, residuals.second * g * 2);
    });

}  // namespace

std::vector<Row> ControlRows() {
  return {
      MakeRow("scan",
              [](const Tensor& x, const Tensor& w) {
                const auto step = [&](const Tensor& h, const Tensor& input) {
                  const Tensor next = Tanh(h * w + input);
                  return std::pair(next, next * input);
                };
                return Scan(step, Zeros({3}, ir::DType::kF64), x);
              }),
      MakeRow("scan_reverse",
              [](const Tensor& x) {
                const auto step = [](const Tensor& h, const Tensor& input) {
                  return std::pair(h * 0.5 + input * input, h);
                };
                return Scan(step, Zeros({3}, ir::DType::kF64), x, {.reverse = true});
              }),
      MakeRow("scan_of_scan",
              [](const Tensor& x) {
                const auto inner = [](const Tensor& c, const Tensor& e) {
                  return std::pair(Sin(c + e), c * e);
                };
                const auto outer = [&](const Tensor& c, const Tensor& row) {
                  const auto [last, all] = Scan(inner, c, row);
                  return std::pair(last, Sum(all));
                };
                return Scan(outer, Full({}, 0.5, ir::DType::kF64), x);
              }),
      MakeRow("fori_loop",
              [](const Tensor& x) {
                return ForiLoop(
                    1, 5,
                    [](const Tensor& i, const Tensor& v) {
                      return Sin(v) * Convert(i, ir::DType::kF64);
                    },
                    x);
              }),
      MakeRow("while_loop",
              [](const Tensor& x) {
                return WhileLoop([](const Tensor& v) { return Sum(v) < 100; },
                                 [](const Tensor& v) { return v * v + 1; }, x);
              }),
      MakeRow("cond",
              [](const Tensor& x, const Tensor& y) {
                return Cond(
                    At(x, {0}) > 0, [](const Tensor& a, const Tensor& b) { return Sin(a) * b; },
                    [](const Tensor& a, const Tensor& b) { return a - b; }, x, y);
              }),
      MakeRow("switch",
              [](const Tensor& i, const Tensor& x) {
                return Switch(i,
                              std::tuple([](const Tensor& a) { return Sin(a); },
                                         [](const Tensor& a) { return a * a; },
                                         [](const Tensor& a) { return Exp(a); }),
                              x);
              }),
      MakeRow("map",
              [](const Tensor& x) {
                return Map([](const Tensor& row) { return Sin(row) * Sum(row); }, x);
              }),
      MakeRow("associative_scan",
              [](const Tensor& x, const Tensor& y) {
                // Linear recurrences: pairs of a factor and a summand.
                const auto combine = [](const Pair& a, const Pair& b) {
                  return Pair(a.first * b.first, a.second * b.first + b.second);
                };
                return AssociativeScan(combine, Pair(x, y));
              }),
      ROW1(checkpoint, Checkpoint([](const Tensor& a) { return Sin(Sin(a)); })(x)),
      ROW1(custom_jvp, WithTangentRule(x)),
      ROW2(custom_vjp, kCustomVjp(x, y)),
      ROW1(stop_gradient, x * StopGradient(Sin(x))),
      ROW1(called, (Jit([](const Tensor& a) { return Sin(a) * a; })(x))),
      ROW1(gradient, Grad([](const Tensor& a) { return Sum(Sin(a) * a); })(x)),
      ROW1(jac_fwd, JacFwd([](const Tensor& a) { return Sin(a) * Sum(a); })(x)),
      ROW1(jac_rev, JacRev([](const Tensor& a) { return Sin(a) * Sum(a); })(x)),
      ROW1(hessian, Hessian([](const Tensor& a) { return Sum(Sin(a) * Sum(a)); })(x)),
      ROW1(vmap, Vmap([](const Tensor& a) { return Sin(a) * Sum(a); }, {1}, {1})(x)),
  };
}

}  // namespace acceld::client::table
