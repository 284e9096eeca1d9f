#pragma once

#include <functional>
#include <string>

#include "kernels/ir/build/kernel_builder.h"

// Small kernels for tests and benchmarks.
namespace acceld::kernels {

using Access = BufferParameter::Access;

// result[i] = f(argument[i]) over n elements.
inline Kernel MapKernel(const std::string& name, DType from, DType to, int64_t n,
                        const std::function<Var(KernelBuilder&, Var)>& f) {
  KernelBuilder b(name);
  const uint32_t in = b.AddBuffer({"x", from, n, Access::kRead});
  const uint32_t out = b.AddBuffer({"y", to, n, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, n, [&](Var i) { b.Store(out, i, f(b, b.Load(in, i))); });
  return b.Finish();
}

// result[i] = f(x[i], y[i]).
inline Kernel ZipKernel(const std::string& name, DType from, DType to, int64_t n,
                        const std::function<Var(KernelBuilder&, Var, Var)>& f) {
  KernelBuilder b(name);
  const uint32_t x = b.AddBuffer({"x", from, n, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", from, n, Access::kRead});
  const uint32_t out = b.AddBuffer({"z", to, n, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, n,
        [&](Var i) { b.Store(out, i, f(b, b.Load(x, i), b.Load(y, i))); });
  return b.Finish();
}

// Sums of the rows of a rows x columns matrix.
inline Kernel RowSumKernel(const std::string& name, DType dtype, int64_t rows, int64_t columns) {
  KernelBuilder b(name);
  const uint32_t in = b.AddBuffer({"x", dtype, rows * columns, Access::kRead});
  const uint32_t out = b.AddBuffer({"sums", dtype, rows, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, rows, [&](Var row) {
    const Var zero = b.Constant(dtype, 0);
    const auto sums = b.For(ForStatement::Kind::kReduction, columns, {zero},
                            [&](Var column, absl::Span<const Var> current) -> std::vector<Var> {
                              const Var x = b.Load(in, b.Linearize({row, column}, {columns, 1}));
                              return {b.Apply(ScalarOp::kAdd, {current[0], x})};
                            });
    b.Store(out, row, sums[0]);
  });
  return b.Finish();
}

// result[i] = how often argument[i], of i32, may be halved before it is `end`.
inline Kernel HalvingsKernel(int64_t n, int64_t end) {
  return MapKernel("halvings", DType::kI32, DType::kI32, n, [=](KernelBuilder& b, Var x) {
    const auto C = [&](int64_t value) { return b.ConstantInt(DType::kI32, value); };
    const auto counted = b.While(
        {C(0), x},
        [&](absl::Span<const Var> current) { return b.Apply(ScalarOp::kNe, {current[1], C(end)}); },
        [&](absl::Span<const Var> current) -> std::vector<Var> {
          return {b.Apply(ScalarOp::kAdd, {current[0], C(1)}),
                  b.Apply(ScalarOp::kDivide, {current[1], C(2)})};
        });
    return counted[0];
  });
}

// lambda * (x > 0 ? x : alpha * (exp(x) - 1)).
inline Kernel SeluKernel(int64_t n) {
  return MapKernel("selu", DType::kF32, DType::kF32, n, [](KernelBuilder& b, Var x) {
    const auto C = [&](double value) { return b.ConstantFloat(DType::kF32, value); };
    const Var e = b.Apply(ScalarOp::kSubtract, {b.Apply(ScalarOp::kExp, {x}), C(1.0)});
    const Var negative = b.Apply(ScalarOp::kMultiply, {C(1.6732632), e});
    const Var positive = b.Apply(ScalarOp::kGt, {x, C(0.0)});
    return b.Apply(ScalarOp::kMultiply, {C(1.0507010), b.Select(positive, x, negative)});
  });
}

}  // namespace acceld::kernels
