#include <algorithm>

#include "common/ir/infer/rules.h"

// Rules of Fourier transforms and linear algebra.
namespace acceld::ir {
namespace {

absl::Status CheckSquare(absl::string_view what, const TensorType& type) {
  const int64_t rank = type.rank();
  if (rank < 2 || !MayEqual(type.dims[rank - 2], type.dims[rank - 1])) {
    return Refuse(what, " ", type.ToString(), " is no square matrix or batch of them");
  }
  if (!IsFloat(type.dtype) && !IsComplex(type.dtype)) {
    return Refuse(what, " ", type.ToString(), " must have float or complex elements");
  }
  return absl::OkStatus();
}

// Returns the size of the last dimension of the spectrum of `length` real numbers.
int64_t SpectrumSize(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

}  // namespace

InferResult InferCholesky(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckSquare("the operand", context.operand(0)));
  return std::vector<Type>{context.operand(0)};
}

InferResult InferFft(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const auto& attributes = context.As<FftAttributes>();
  const std::vector<int64_t>& length = attributes.fft_length;
  const auto transformed = static_cast<int64_t>(length.size());
  if (transformed < 1 || transformed > 3 || transformed > operand.rank()) {
    return Refuse("fft_length has ", transformed, " dimensions where 1 to ",
                  std::min<int64_t>(3, operand.rank()), " are possible");
  }
  const FftType type = attributes.fft_type;
  const char* keyword = EnumKeywords(type)[static_cast<int>(type)];
  const bool takes_real = type == FftType::kRfft;
  const DType dtype = operand.dtype;
  if (takes_real ? dtype != DType::kF32 && dtype != DType::kF64 : !IsComplex(dtype)) {
    return Refuse(keyword, " of ", operand.ToString());
  }
  TensorType result = operand;
  if (type == FftType::kRfft) {
    result.dtype = dtype == DType::kF32 ? DType::kC64 : DType::kC128;
  } else if (type == FftType::kIrfft) {
    result.dtype = RealPartOf(dtype);
  }
  for (int64_t i = 0; i < transformed; ++i) {
    const int64_t dim = operand.rank() - transformed + i;
    const bool is_last = i == transformed - 1;
    if (length[i] < 0) return Refuse("fft_length has ", length[i]);
    const bool halves = is_last && type == FftType::kIrfft;
    const int64_t expected = halves ? SpectrumSize(length[i]) : length[i];
    // A result without elements comes from an empty spectrum, or from one of size 1 = 0 / 2 + 1,
    // which JAX has for the inverse transform of length 0.
    const bool is_empty = halves && length[i] == 0 && MayEqual(operand.dims[dim], 1);
    if (!MayEqual(operand.dims[dim], expected) && !is_empty) {
      return Refuse(keyword, " of length ", length[i], " takes ", expected,
                    " elements along dimension ", dim, ", not ", operand.dims[dim]);
    }
    result.dims[dim] = is_last && type == FftType::kRfft ? SpectrumSize(length[i]) : length[i];
  }
  return std::vector<Type>{std::move(result)};
}

InferResult InferTriangularSolve(const InferContext& context) {
  const TensorType& a = context.operand(0);
  const TensorType& b = context.operand(1);
  const auto& attributes = context.As<TriangularSolveAttributes>();
  ACCELD_RETURN_IF_ERROR(CheckSquare("a", a));
  if (b.dtype != a.dtype || b.rank() != a.rank()) {
    return Refuse("a ", a.ToString(), " and b ", b.ToString(), " do not fit");
  }
  const int64_t rank = a.rank();
  for (int64_t i = 0; i < rank - 2; ++i) {
    if (!MayEqual(a.dims[i], b.dims[i])) {
      return Refuse("a ", a.ToString(), " and b ", b.ToString(), " differ in batch dimension ", i);
    }
  }
  const int64_t shared = attributes.left_side ? rank - 2 : rank - 1;
  if (!MayEqual(a.dims[rank - 1], b.dims[shared])) {
    return Refuse("b ", b.ToString(), " must have size ", DimText(a.dims[rank - 1]),
                  " along dimension ", shared);
  }
  return std::vector<Type>{b};
}

}  // namespace acceld::ir
