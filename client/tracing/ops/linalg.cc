#include "client/tracing/ops/linalg.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/contractions.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/control_flow.h"
#include "client/tracing/transforms/custom_rules.h"
#include "client/tracing/transforms/transforms.h"

namespace acceld::client::linalg {
namespace {

using ir::DType;
using ir::TensorType;
using Pair = std::pair<Tensor, Tensor>;

// The conjugate transpose.
Tensor Adjoint(const Tensor& a) { return Conj(SwapAxes(a, -1, -2)); }

int64_t RowsOf(const Tensor& a) { return a.shape()[a.shape().size() - 2]; }
int64_t ColumnsOf(const Tensor& a) { return a.shape().back(); }
ir::Dims BatchOf(const Tensor& a) { return {a.shape().begin(), a.shape().end() - 2}; }

// The shape of a matrix, or vector, for each matrix of `a`.
ir::Dims WithBatch(const Tensor& a, std::initializer_list<int64_t> dims) {
  ir::Dims all = BatchOf(a);
  all.insert(all.end(), dims.begin(), dims.end());
  return all;
}

// Whether `a` is matrices of a type that LAPACK has; the trace has the error if not.
bool AreMatrices(absl::string_view operation, const Tensor& a, bool square) {
  Tracer& tracer = *Tracer::Current();
  const bool is_right_type = a.dtype() == DType::kF32 || a.dtype() == DType::kF64 ||
                             a.dtype() == DType::kC64 || a.dtype() == DType::kC128;
  if (a.rank() >= 2 && is_right_type && (!square || RowsOf(a) == ColumnsOf(a))) return true;
  tracer.Fail(operation,
              absl::StrCat("the operand is ", a.type().ToString(), "; expected ",
                           square ? "square " : "", "matrices of f32, f64 or complex numbers"));
  return false;
}

// Calls a function of LAPACK, by JAX's name for it without its type: "getrf". `complex_name` is
// that of the function for complex numbers.
std::vector<Tensor> Lapack(const std::string& name, const std::string& complex_name,
                           const std::vector<Tensor>& operands,
                           const std::vector<TensorType>& results,
                           std::initializer_list<std::pair<const char*, char>> letters = {}) {
  Tracer& tracer = *Tracer::Current();
  const DType dtype = operands[0].dtype();
  const char letter = dtype == DType::kF32   ? 's'
                      : dtype == DType::kF64 ? 'd'
                      : dtype == DType::kC64 ? 'c'
                                             : 'z';
  ir::AttributeDictionary config;
  for (const auto& [key, value] : letters) {
    config[key].value = ir::IntegerAttribute{value, DType::kUI8};
  }
  ir::CustomCallAttributes attributes{
      .call_target_name = absl::StrCat("lapack_", std::string(1, letter),
                                       ir::IsComplex(dtype) ? complex_name : name, "_ffi"),
      .api_version = 4};
  attributes.mhlo_backend_config.value = ir::DictionaryAttribute{std::move(config)};
  const std::vector<ir::Type> types(results.begin(), results.end());
  const absl::StatusOr<std::vector<ir::ValueId>> values = tracer.Values(operands);
  if (!values.ok()) return std::vector<Tensor>(results.size(), tracer.Fail(values.status()));
  const absl::StatusOr<std::vector<ir::ValueId>> made = tracer.builder().Add(
      ir::OpKind::kCustomCall, *values, std::move(attributes), {}, types, tracer.location());
  if (!made.ok()) return std::vector<Tensor>(results.size(), tracer.Fail(made.status()));
  std::vector<Tensor> tensors;
  for (const ir::ValueId value : *made) tensors.push_back(tracer.Make(value));
  return tensors;
}

// NaN instead of the elements of matrices, or vectors, whose decomposition failed.
Tensor OrNan(const Tensor& info, const Tensor& a) {
  Tensor is_good = info == 0;
  while (is_good.rank() < a.rank()) is_good = ExpandDims(is_good, -1);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return Where(BroadcastTo(is_good, a.shape()), a, FullLike(a, kNan));
}

// The order of rows that swaps of row i with row pivots[i] give.
Tensor PermutationOf(const Tensor& pivots, int64_t rows) {
  const auto of_one = [rows](const Tensor& p) {
    const auto swap = [&](const Tensor& i, const Tensor& order) {
      const Tensor j = At(p, {i});
      const Tensor at_i = At(order, {i}), at_j = At(order, {j});
      return SetAt(SetAt(order, {i}, at_j), {j}, at_i);
    };
    return ForiLoop(0, static_cast<double>(p.size()), swap, Arange(rows));
  };
  ir::Dims batch(pivots.shape().begin(), pivots.shape().end() - 1);
  if (batch.empty()) return of_one(pivots);
  const Tensor all = Vmap(of_one)(Reshape(pivots, {-1, pivots.shape().back()}));
  batch.push_back(rows);
  return Reshape(all, batch);
}

// Rows of matrices in another order.
Tensor Permuted(const Tensor& a, const Tensor& permutation) {
  const Tensor indices = BroadcastTo(ExpandDims(permutation, -1), a.shape());
  return TakeAlongAxis(a, indices, -2);
}

Pair LuOf(const Tensor& a) {
  const int64_t k = std::min(RowsOf(a), ColumnsOf(a));
  const std::vector<Tensor> results =
      Lapack("getrf", "getrf", {a},
             {a.type(), {DType::kI32, WithBatch(a, {k})}, {DType::kI32, BatchOf(a)}});
  // A pivot of zero is no failure.
  const Tensor failed = Where(results[2] < 0, results[2], 0);
  return {OrNan(failed, results[0]), PermutationOf(results[1] - 1, RowsOf(a))};
}

// The lower, square L and the upper, square U of a decomposition.
Pair Factors(const Tensor& lu) {
  const int64_t m = RowsOf(lu), n = ColumnsOf(lu), k = std::min(m, n);
  const auto padded = [&](const Tensor& x, int64_t rows, int64_t columns) {
    std::vector<std::pair<int64_t, int64_t>> widths(static_cast<size_t>(x.rank()), {0, 0});
    widths[widths.size() - 2].second = rows;
    widths.back().second = columns;
    return rows + columns == 0 ? x : Pad(x, widths, 0);
  };
  const Tensor l = padded(Tril(SliceInDim(lu, 0, k, -1), -1), 0, m - k) + Eye(m, m, 0, lu.dtype());
  Tensor u = padded(Triu(SliceInDim(lu, 0, k, -2)), n - k, 0);
  if (n > k) {
    u = u + Pad(Eye(n - k, n - k, 0, lu.dtype()), {{k, 0}, {k, 0}}, 0);
  }
  return {l, u};
}

Tensor LuTangent(const Pair& value, const Tensor& da) {
  const auto [l, u] = Factors(value.first);
  const Tensor x = Permuted(da, value.second);
  const Tensor la = SolveTriangular(l, x, {.unit_diagonal = true});
  const Tensor lau = SolveTriangular(u, la, {.lower = false, .left = false});
  return MatMul(l, Tril(lau, -1)) + MatMul(Triu(lau), u);
}

// The solution for a matrix that is decomposed.
Tensor SolveByLu(const Pair& lu, const Tensor& b) {
  const Tensor y = SolveTriangular(lu.first, Permuted(b, lu.second), {.unit_diagonal = true});
  return SolveTriangular(lu.first, y, {.lower = false});
}

// The sum of the diagonal of each matrix.
Tensor Trace(const Tensor& a) { return Sum(Diagonal(a), {-1}); }

// 1 for even permutations, those with an even number of inversions, and -1 for odd ones.
Tensor ParityOf(const Tensor& order, DType dtype) {
  const int64_t n = order.shape().back();
  const TensorType plane{DType::kI32, {n, n}};
  const Tensor is_inverted = ExpandDims(order, -1) > ExpandDims(order, -2);
  const Tensor is_later = Iota(plane, 1) > Iota(plane, 0);
  const Tensor inversions = Sum(Convert(is_inverted && is_later, DType::kI32), {-2, -1});
  return Convert(1 - 2 * Remainder(inversions, 2), dtype);
}

Pair QrOf(const Tensor& a) {
  const int64_t m = RowsOf(a), n = ColumnsOf(a), k = std::min(m, n);
  const TensorType taus{a.dtype(), WithBatch(a, {k})};
  const std::vector<Tensor> reflectors = Lapack("geqrf", "geqrf", {a}, {a.type(), taus});
  const Tensor first = SliceInDim(reflectors[0], 0, k, -1);
  const Tensor q = Lapack("orgqr", "ungqr", {first, reflectors[1]}, {first.type()})[0];
  return {q, Triu(SliceInDim(reflectors[0], 0, k, -2))};
}

Pair QrTangent(const Pair& value, const Tensor& da) {
  const auto& [q, r] = value;
  const Tensor da_r = SolveTriangular(r, da, {.lower = false, .left = false});
  const Tensor qt_da_r = MatMul(Adjoint(q), da_r);
  const Tensor lower = Tril(qt_da_r, -1);
  Tensor rotation = lower - Adjoint(lower);
  if (ir::IsComplex(q.dtype())) {
    const Tensor imaginary = qt_da_r - Complex(Real(qt_da_r), ZerosLike(Real(qt_da_r)));
    rotation = rotation + Eye(ColumnsOf(q), -1, 0, q.dtype()) * imaginary;
  }
  return {MatMul(q, rotation - qt_da_r) + da_r, MatMul(qt_da_r - rotation, r)};
}

Pair EighOf(const Tensor& a) {
  const int64_t n = RowsOf(a);
  const DType real = ir::IsComplex(a.dtype()) ? ir::RealPartOf(a.dtype()) : a.dtype();
  const std::vector<Tensor> results = Lapack(
      "syevd", "heevd", {a}, {a.type(), {real, WithBatch(a, {n})}, {DType::kI32, BatchOf(a)}},
      {{"mode", 'V'}, {"uplo", 'L'}});
  return {OrNan(results[2], results[1]), OrNan(results[2], results[0])};
}

// 1 / (x + 1) - 1 where `is_zero` says that x is to be zero, and 1 / x elsewhere.
Tensor InverseOrZero(const Tensor& x, const Tensor& is_zero) { return 1 / (x + is_zero) - is_zero; }

Pair EighTangent(const Pair& value, const Tensor& da) {
  const Tensor& v = value.second;
  const Tensor w =
      ir::IsComplex(v.dtype()) ? Complex(value.first, ZerosLike(value.first)) : value.first;
  const Tensor differences = ExpandDims(w, -2) - ExpandDims(w, -1);
  const Tensor f = InverseOrZero(differences, Eye(RowsOf(v), -1, 0, v.dtype()));
  const Tensor vt_da_v = MatMul(MatMul(Adjoint(v), da), v);
  return {Real(Diagonal(vt_da_v)), MatMul(v, f * vt_da_v)};
}

using Triple = std::tuple<Tensor, Tensor, Tensor>;  // u, s, v^H

Triple SvdOf(const Tensor& a) {
  const int64_t m = RowsOf(a), n = ColumnsOf(a), k = std::min(m, n);
  const DType real = ir::IsComplex(a.dtype()) ? ir::RealPartOf(a.dtype()) : a.dtype();
  const std::vector<Tensor> results = Lapack("gesdd", "gesdd", {a},
                                             {a.type(),
                                              {real, WithBatch(a, {k})},
                                              {a.dtype(), WithBatch(a, {m, k})},
                                              {a.dtype(), WithBatch(a, {k, n})},
                                              {DType::kI32, BatchOf(a)}},
                                             {{"mode", 'S'}});
  return {OrNan(results[4], results[2]), OrNan(results[4], results[1]),
          OrNan(results[4], results[3])};
}

Triple SvdTangent(const Triple& value, const Tensor& da) {
  const auto& [u, s, vh] = value;
  const int64_t m = RowsOf(u), n = ColumnsOf(vh), k = s.shape().back();
  const Tensor ut = Adjoint(u), v = Adjoint(vh);
  const auto as_element = [&](const Tensor& real) {
    return ir::IsComplex(u.dtype()) ? Complex(real, ZerosLike(real)) : real;
  };
  const Tensor row = as_element(ExpandDims(s, -2)), column = SwapAxes(row, -1, -2);
  const Tensor ds = MatMul(MatMul(ut, da), v);
  const Tensor eye = Eye(k, -1, 0, u.dtype());
  const Tensor f = InverseOrZero((row + column) * (row - column), eye);
  const Tensor right = row * ds, left = column * ds;
  const Tensor is_zero = Convert(s == 0, s.dtype());
  const Tensor inverse = ExpandDims(as_element(InverseOrZero(s, is_zero)), -1) * eye;
  Tensor du = MatMul(u, f * (right + Adjoint(right)) + 0.5 * (ds - Adjoint(ds)) * inverse);
  Tensor dv = MatMul(v, f * (left + Adjoint(left)));
  if (m > n) {
    const Tensor da_v = MatMul(da, v);
    du = du + (da_v - MatMul(u, MatMul(ut, da_v))) / row;
  }
  if (n > m) {
    const Tensor da_u = MatMul(Adjoint(da), u);
    dv = dv + (da_u - MatMul(v, MatMul(vh, da_u))) / row;
  }
  return {du, Real(Diagonal(ds)), Adjoint(dv)};
}

Pair EighOfSymmetric(const Tensor& a) {
  return CustomJvp([](const Tensor& x) { return EighOf(x); },
                   [](const Tensor& x, const Tensor& dx) {
                     const Pair value = EighOfSymmetric(x);
                     return std::pair(value, EighTangent(value, dx));
                   })(a);
}

Tensor Symmetric(const Tensor& a) { return (a + Adjoint(a)) / 2; }

}  // namespace

Tensor Cholesky(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("Cholesky", a, true)) return a;
  return Tril(tracer->Emit(ir::OpKind::kCholesky, {Symmetric(a)}, ir::CholeskyAttributes{true}));
}

Tensor SolveTriangular(const Operand& a, const Operand& b, const TriangularOptions& options) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr || !AreMatrices("SolveTriangular", a, true)) return b;
  if (b.rank() + 1 == a.rank()) {
    return Squeeze(SolveTriangular(a, ExpandDims(b, -1), options), {-1});
  }
  const ir::TriangularSolveAttributes attributes{
      .left_side = options.left,
      .lower = options.lower,
      .unit_diagonal = options.unit_diagonal,
      .transpose_a = options.transpose ? ir::Transpose::kTranspose : ir::Transpose::kNoTranspose};
  return tracer->Emit(ir::OpKind::kTriangularSolve, {a, b}, attributes);
}

Pair Lu(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("Lu", a, false)) return {a, a};
  return CustomJvp([](const Tensor& x) { return LuOf(x); },
                   [](const Tensor& x, const Tensor& dx) {
                     const Pair value = Lu(x);
                     return std::pair(value, Pair(LuTangent(value, dx), ZerosLike(value.second)));
                   })(a.tensor());
}

Pair Qr(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("Qr", a, false)) return {a, a};
  if (RowsOf(a) < ColumnsOf(a)) return QrOf(a);  // There is no derivative, as in JAX.
  return CustomJvp([](const Tensor& x) { return QrOf(x); },
                   [](const Tensor& x, const Tensor& dx) {
                     const Pair value = Qr(x);
                     return std::pair(value, QrTangent(value, dx));
                   })(a.tensor());
}

Pair Eigh(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("Eigh", a, true)) return {a, a};
  return EighOfSymmetric(Symmetric(a));
}

SvdResult Svd(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("Svd", a, false)) return {a, a, a};
  auto [u, s, vh] = CustomJvp([](const Tensor& x) { return SvdOf(x); },
                              [](const Tensor& x, const Tensor& dx) {
                                const auto [u, s, vh] = Svd(x);
                                const Triple value(u, s, vh);
                                return std::pair(value, SvdTangent(value, dx));
                              })(a.tensor());
  return {u, s, vh};
}

Tensor Solve(const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr || !AreMatrices("Solve", a, true)) return b;
  if (b.rank() + 1 == a.rank()) return Squeeze(Solve(a, ExpandDims(b, -1)), {-1});
  if (b.rank() != a.rank() || BatchOf(a) != BatchOf(b) || RowsOf(a) != RowsOf(b) ||
      a.dtype() != b.dtype()) {
    return tracer->Fail("Solve", absl::StrCat("the matrices are ", a.type().ToString(),
                                              ", and the right sides ", b.type().ToString()));
  }
  return CustomJvp([](const Tensor& x, const Tensor& y) { return SolveByLu(LuOf(x), y); },
                   [](const Tensor& x, const Tensor& y, const Tensor& dx, const Tensor& dy) {
                     const Pair lu = Lu(x);
                     const Tensor value = SolveByLu(lu, y);
                     return std::pair(value, SolveByLu(lu, dy - MatMul(dx, value)));
                   })(a.tensor(), b.tensor());
}

Tensor Inv(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("Inv", a, true)) return a;
  return Solve(a, BroadcastTo(Eye(RowsOf(a), -1, 0, a.dtype()), a.shape()));
}

Tensor Det(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("Det", a, true)) return a;
  const auto of_lu = [](const Pair& lu) {
    return ParityOf(lu.second, lu.first.dtype()) * Prod(Diagonal(lu.first), {-1});
  };
  return CustomJvp([=](const Tensor& x) { return of_lu(LuOf(x)); },
                   [=](const Tensor& x, const Tensor& dx) {
                     const Pair lu = Lu(x);
                     const Tensor value = of_lu(lu);
                     return std::pair(value, value * Trace(SolveByLu(lu, dx)));
                   })(a.tensor());
}

Pair SlogDet(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("SlogDet", a, true)) return {a, a};
  if (ir::IsComplex(a.dtype())) {
    const Tensor failed = tracer->Fail("SlogDet", "complex matrices are not supported; use Det");
    return {failed, failed};
  }
  const auto of_lu = [](const Pair& lu) {
    const Tensor diagonal = Diagonal(lu.first);
    return Pair(ParityOf(lu.second, diagonal.dtype()) * Prod(Sign(diagonal), {-1}),
                Sum(Log(Abs(diagonal)), {-1}));
  };
  return CustomJvp([=](const Tensor& x) { return of_lu(LuOf(x)); },
                   [=](const Tensor& x, const Tensor& dx) {
                     const Pair lu = Lu(x);
                     const Pair value = of_lu(lu);
                     return std::pair(value,
                                      Pair(ZerosLike(value.first), Trace(SolveByLu(lu, dx))));
                   })(a.tensor());
}

Tensor Trace(const Operand& a, int64_t k) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const Tensor diagonal = Diagonal(a, k);
  return tracer->status().ok() ? Sum(diagonal, {-1}) : diagonal;
}

Tensor Cross(const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.rank() == 0 || b.rank() == 0 || a.shape().back() != 3 || b.shape().back() != 3) {
    return tracer->Fail("Cross",
                        absl::StrCat("the operands have the shapes ", ShapeText(a.shape()), " and ",
                                     ShapeText(b.shape()), "; expected vectors of three elements"));
  }
  return Roll(a, -1, -1) * Roll(b, -2, -1) - Roll(a, -2, -1) * Roll(b, -1, -1);
}

Tensor Norm(const Operand& a, const Axes& axes, bool keep_dims) {
  const Tensor squares = ir::IsComplex(a.dtype()) ? Real(a * Conj(a)) : Square(a);
  return Sqrt(Sum(squares, axes, keep_dims));
}

Tensor MatrixPower(const Operand& a, int64_t n) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !AreMatrices("MatrixPower", a, true)) return a;
  Tensor power = n < 0 ? Inv(a) : a.tensor();
  Tensor result;
  bool has_result = false;
  for (uint64_t left = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); left != 0;
       left >>= 1) {
    if ((left & 1) != 0) {
      result = has_result ? MatMul(result, power) : power;
      has_result = true;
    }
    if (left > 1) power = MatMul(power, power);
  }
  return has_result ? result : BroadcastTo(Eye(RowsOf(a), -1, 0, a.dtype()), a.shape());
}

}  // namespace acceld::client::linalg
