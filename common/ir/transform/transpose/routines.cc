// Transposes of linear algebra and Fourier transforms.

#include <utility>

#include "common/ir/transform/transposition.h"

namespace acceld::ir {
namespace {

TriangularSolveAttributes Transposed(TriangularSolveAttributes attributes) {
  attributes.transpose_a = attributes.transpose_a == Transpose::kNoTranspose
                               ? Transpose::kTranspose
                               : Transpose::kNoTranspose;
  return attributes;
}

}  // namespace

ACCELD_NOT_LINEAR(Cholesky)

absl::Status TransposeFft(Transposition& t) {
  const FftAttributes& attributes = t.As<FftAttributes>();
  Emitter& e = t.emit;
  const TensorType &from = t.operand_type(0), &to = t.result_type();
  const int64_t last = from.rank() - 1;
  FftAttributes back = attributes;
  switch (attributes.fft_type) {
    case FftType::kFft:
    case FftType::kIfft:
      t.AddCotangent(0, e.Op(OpKind::kFft, {t.cotangent()}, std::move(back)));
      return absl::OkStatus();
    case FftType::kRfft: {
      // The whole transform of real numbers, of which the second half is left out.
      PadAttributes pad;
      pad.edge_padding_low.assign(static_cast<size_t>(from.rank()), 0);
      pad.interior_padding = pad.edge_padding_high = pad.edge_padding_low;
      pad.edge_padding_high[last] = from.dims[last] - to.dims[last];
      const ValueId zero = e.Constant({to.dtype, {}}, 0);
      back.fft_type = FftType::kFft;
      const ValueId whole = e.Op(OpKind::kPad, {t.cotangent(), zero}, std::move(pad));
      t.AddCotangent(0, e.Op(OpKind::kReal, {e.Op(OpKind::kFft, {whole}, std::move(back))}));
      return absl::OkStatus();
    }
    case FftType::kIrfft: {
      // All coefficients but the first, and the last of an even number, stand for two.
      const int64_t n = attributes.fft_length.back();
      double scale = 1;
      for (const int64_t length : attributes.fft_length) scale /= static_cast<double>(length);
      back.fft_type = FftType::kRfft;
      const ValueId transform = e.Op(OpKind::kFft, {t.cotangent()}, std::move(back));
      const TensorType real{to.dtype, from.dims}, index{DType::kI32, from.dims};
      const ValueId number = e.Iota(index, last);
      const ValueId is_first = e.Compare(ComparisonDirection::kEq, number, e.Constant(index, 0));
      const ValueId is_middle =
          e.Compare(ComparisonDirection::kEq, number, e.Constant(index, n % 2 == 0 ? n / 2 : -1));
      const ValueId weight =
          e.Select(e.Or(is_first, is_middle), e.Constant(real, scale), e.Constant(real, 2 * scale));
      const ValueId re = e.Mul(weight, e.Op(OpKind::kReal, {transform}));
      const ValueId im = e.Mul(weight, e.Neg(e.Op(OpKind::kImag, {transform})));
      t.AddCotangent(0, e.Op(OpKind::kComplex, {re, im}));
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

absl::Status TransposeTriangularSolve(Transposition& t) {
  if (t.IsLinear(0)) return t.Refuse("the matrix depends on linear arguments");
  const auto& attributes = t.As<TriangularSolveAttributes>();
  if (attributes.transpose_a == Transpose::kAdjoint && IsComplex(t.operand_type(0).dtype)) {
    // The transpose of the adjoint is the conjugate.
    Emitter& e = t.emit;
    const ValueId a = t.known(0);
    const ValueId conjugate =
        e.Op(OpKind::kComplex, {e.Op(OpKind::kReal, {a}), e.Neg(e.Op(OpKind::kImag, {a}))});
    t.AddCotangent(
        1, e.Op(OpKind::kTriangularSolve, {conjugate, t.cotangent()}, Transposed(attributes)));
    return absl::OkStatus();
  }
  t.AddCotangent(
      1, t.emit.Op(OpKind::kTriangularSolve, {t.known(0), t.cotangent()}, Transposed(attributes)));
  return absl::OkStatus();
}

}  // namespace acceld::ir
