#include "kernels/cuda/cublas/matmul.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace acceld::kernels::cuda {
namespace {

using ir::DType;

// Values of cudaDataType_t, cublasComputeType_t, cublasOperation_t and the attribute enums, from
// their documentation.
constexpr int kR32F = 0, kR64F = 1, kR16F = 2, kR8I = 3, kC32F = 4, kC64F = 5, kR32I = 10;
constexpr int kR16BF = 14, kR8FE4M3 = 28;
constexpr int kCompute32F = 68, kCompute64F = 70, kCompute32I = 72, kCompute32FFastTf32 = 77;
constexpr int32_t kNotTransposed = 0, kTransposed = 1;
constexpr int kDescTransA = 3, kDescTransB = 4, kDescEpilogue = 7, kDescBiasPointer = 8;
constexpr uint32_t kEpilogueDefault = 1, kEpilogueRelu = 2, kEpilogueBias = 4, kEpilogueGelu = 32;
constexpr int kLayoutBatchCount = 5, kLayoutBatchOffset = 6;
constexpr int kPrefMaxWorkspace = 1, kPrefReductionSchemes = 3;
// Partial sums must be kept in the compute type, never in a narrower output type.
constexpr uint32_t kReduceInComputeType = 2;
constexpr int kPrefAlignments[] = {5, 6, 7, 8};  // of A, B, C, D

struct Types {
  int input, output, compute, scale;
};

absl::optional<Types> TypesOf(const MatmulStep& matmul) {
  const auto is = [&](DType input, DType output) {
    return matmul.input_dtype == input && matmul.output_dtype == output;
  };
  if (is(DType::kF32, DType::kF32)) {
    return Types{kR32F, kR32F, matmul.allow_tf32 ? kCompute32FFastTf32 : kCompute32F, kR32F};
  }
  if (matmul.allow_tf32) return absl::nullopt;
  if (is(DType::kF64, DType::kF64)) return Types{kR64F, kR64F, kCompute64F, kR64F};
  if (is(DType::kF16, DType::kF16)) return Types{kR16F, kR16F, kCompute32F, kR32F};
  if (is(DType::kF16, DType::kF32)) return Types{kR16F, kR32F, kCompute32F, kR32F};
  if (is(DType::kBF16, DType::kBF16)) return Types{kR16BF, kR16BF, kCompute32F, kR32F};
  if (is(DType::kBF16, DType::kF32)) return Types{kR16BF, kR32F, kCompute32F, kR32F};
  if (is(DType::kF8E4M3FN, DType::kF16)) return Types{kR8FE4M3, kR16F, kCompute32F, kR32F};
  if (is(DType::kF8E4M3FN, DType::kBF16)) return Types{kR8FE4M3, kR16BF, kCompute32F, kR32F};
  if (is(DType::kF8E4M3FN, DType::kF32)) return Types{kR8FE4M3, kR32F, kCompute32F, kR32F};
  if (is(DType::kI8, DType::kI32)) return Types{kR8I, kR32I, kCompute32I, kR32I};
  if (is(DType::kC64, DType::kC64)) return Types{kC32F, kC32F, kCompute32F, kC32F};
  if (is(DType::kC128, DType::kC128)) return Types{kC64F, kC64F, kCompute64F, kC64F};
  return absl::nullopt;
}

bool CanEpilogue(const MatmulStep& matmul) {
  const MatmulEpilogue& epilogue = matmul.epilogue;
  if (epilogue.IsNone()) return true;
  const DType output = matmul.output_dtype;
  // The factors are passed as floats, so they must be in the range of normal floats.
  const auto is_scale = [](double scale) {
    return std::abs(scale) >= std::numeric_limits<float>::min() &&
           std::abs(scale) <= std::numeric_limits<float>::max();
  };
  if (!ir::IsFloat(output) || !is_scale(epilogue.alpha) ||
      (epilogue.has_addend() && !is_scale(epilogue.beta))) {
    return false;
  }
  const bool is_narrow = output == DType::kF16 || output == DType::kBF16;
  // The library uses the hardware's approximate tanh, which is not precise enough for f32.
  if (epilogue.activation == MatmulEpilogue::Activation::kGelu) return is_narrow;
  // For products of 8-bit floats, the library's bias type differs from the output type.
  const bool is_wide = output == DType::kF32 && ir::BitsOf(matmul.input_dtype) > 8;
  const bool is_scaled_sum =
      !epilogue.has_bias && epilogue.activation == MatmulEpilogue::Activation::kNone;
  return is_scaled_sum || is_narrow || is_wide;
}

uint32_t EpilogueOf(const MatmulEpilogue& epilogue) {
  uint32_t bits = epilogue.has_bias ? kEpilogueBias : 0;
  switch (epilogue.activation) {
    case MatmulEpilogue::Activation::kNone:
      break;
    case MatmulEpilogue::Activation::kRelu:
      bits |= kEpilogueRelu;
      break;
    case MatmulEpilogue::Activation::kGelu:
      bits |= kEpilogueGelu;
      break;
  }
  return bits == 0 ? kEpilogueDefault : bits;
}

// How to pass a matrix to the library, which is column-major: as it is, or as the transpose of a
// matrix, with the leading dimension (the distance of columns).
struct InColumns {
  bool transposed = false;
  int64_t leading = 1;
};

// How to pass a matrix of `rows` and `columns` with these strides; nullopt if neither stride is 1
// or the columns overlap.
absl::optional<InColumns> InColumnsOf(int64_t rows, int64_t row_stride, int64_t columns,
                                      int64_t column_stride) {
  if (row_stride == 1 || rows == 1) {
    const int64_t leading = columns == 1 ? rows : column_stride;
    if (leading >= rows) return InColumns{false, leading};
  }
  if (column_stride == 1 || columns == 1) {
    const int64_t leading = rows == 1 ? columns : row_stride;
    if (leading >= columns) return InColumns{true, leading};
  }
  return absl::nullopt;
}

// The operands as the library has them: rhs with n rows and k columns, lhs with k rows and m
// columns.
absl::optional<InColumns> RhsInColumns(const MatmulStep& matmul) {
  return InColumnsOf(matmul.n, matmul.rhs_strides[2], matmul.k, matmul.rhs_strides[1]);
}
absl::optional<InColumns> LhsInColumns(const MatmulStep& matmul) {
  return InColumnsOf(matmul.k, matmul.lhs_strides[2], matmul.m, matmul.lhs_strides[1]);
}

// Whether a product of 8-bit elements has the only layout that the library supports for them: rows
// of lhs and columns of rhs are contiguous, and all sizes and strides that address computations use
// are multiples of 4 bytes for integers or 16 bytes for floats (documentation of cublasLtMatmul).
bool HasLayoutOfBytes(const MatmulStep& matmul, const InColumns& lhs, const InColumns& rhs) {
  const int64_t multiple = matmul.input_dtype == DType::kI8 ? 4 : 16;
  if (lhs.transposed || !rhs.transposed) return false;
  for (const int64_t count : {matmul.k, matmul.n, lhs.leading, rhs.leading, matmul.lhs_strides[0],
                              matmul.rhs_strides[0]}) {
    if (count % multiple != 0) return false;
  }
  return true;
}

}  // namespace

bool CanMatmul(const MatmulStep& matmul) {
  constexpr int64_t kMaxSize = INT32_MAX, kMaxBatch = 65535;
  const auto in = [](int64_t value, int64_t max) { return value >= 1 && value <= max; };
  if (matmul.groups != 1) return false;
  if (!TypesOf(matmul).has_value() || !in(matmul.batch, kMaxBatch) || !in(matmul.m, kMaxSize) ||
      !in(matmul.n, kMaxSize) || !in(matmul.k, kMaxSize) || !CanEpilogue(matmul)) {
    return false;
  }
  const absl::optional<InColumns> lhs = LhsInColumns(matmul), rhs = RhsInColumns(matmul);
  const bool are_bytes = ir::BitsOf(matmul.input_dtype) == 8;
  return lhs.has_value() && rhs.has_value() &&
         (!are_bytes || HasLayoutOfBytes(matmul, *lhs, *rhs)) && lhs->leading <= kMaxSize &&
         rhs->leading <= kMaxSize && matmul.lhs_strides[0] >= 0 && matmul.rhs_strides[0] >= 0;
}

absl::StatusOr<std::unique_ptr<const Matmul>> Matmul::Prepare(const CublasLt& library,
                                                              CublasLt::Handle handle,
                                                              const MatmulStep& matmul) {
  if (!CanMatmul(matmul)) return absl::InternalError("matmul: not one of cuBLASLt");
  std::unique_ptr<Matmul> prepared(new Matmul(library, handle));
  ACCELD_RETURN_IF_ERROR(prepared->Describe(matmul));
  if (absl::Status status = prepared->ChooseAlgorithm(matmul.algorithm); !status.ok()) {
    return Annotate(
        status, absl::StrCat("matmul of ", matmul.batch, " x [", matmul.m, ", ", matmul.k, "] [",
                             matmul.k, ", ", matmul.n, "] ", ir::DTypeName(matmul.input_dtype)));
  }
  return prepared;
}

absl::StatusOr<std::vector<std::string>> Matmul::FindAlgorithms(const CublasLt& library,
                                                                CublasLt::Handle handle,
                                                                const MatmulStep& matmul,
                                                                int max_algorithms) {
  if (!CanMatmul(matmul)) return absl::InternalError("matmul: not one of cuBLASLt");
  Matmul described(library, handle);
  ACCELD_RETURN_IF_ERROR(described.Describe(matmul));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<CublasLt::Heuristic> found,
                          described.QueryHeuristics(max_algorithms));
  std::vector<std::string> algorithms;
  for (const CublasLt::Heuristic& heuristic : found) {
    algorithms.emplace_back(reinterpret_cast<const char*>(&heuristic.algorithm), kAlgorithmBytes);
  }
  return algorithms;
}

Matmul::~Matmul() {
  for (const CublasLt::Layout layout : {a_, b_, d_}) {
    if (layout != nullptr) library_.cublasLtMatrixLayoutDestroy(layout);
  }
  if (operation_ != nullptr) library_.cublasLtMatmulDescDestroy(operation_);
}

absl::Status Matmul::Describe(const MatmulStep& matmul) {
  const Types types = *TypesOf(matmul);
  scale_type_ = types.scale;
  ACCELD_RETURN_IF_ERROR(
      CublasLt::Check(library_.cublasLtMatmulDescCreate(&operation_, types.compute, types.scale),
                      "cublasLtMatmulDescCreate"));
  const InColumns a = *RhsInColumns(matmul), b = *LhsInColumns(matmul);
  ACCELD_RETURN_IF_ERROR(SetAttribute(kDescTransA, a.transposed ? kTransposed : kNotTransposed));
  ACCELD_RETURN_IF_ERROR(SetAttribute(kDescTransB, b.transposed ? kTransposed : kNotTransposed));
  const MatmulEpilogue& epilogue = matmul.epilogue;
  alpha_ = epilogue.alpha;
  beta_ = epilogue.beta;
  has_addend_ = epilogue.has_addend();
  has_bias_ = epilogue.has_bias;
  ACCELD_RETURN_IF_ERROR(SetAttribute(kDescEpilogue, EpilogueOf(epilogue)));
  // The heuristics consider the alignment of the bias, so a dummy address with the right alignment
  // is set.
  if (has_bias_) {
    ACCELD_RETURN_IF_ERROR(SetAttribute(kDescBiasPointer, static_cast<uint64_t>(kBufferAlignment)));
  }
  const auto m = static_cast<uint64_t>(matmul.m), n = static_cast<uint64_t>(matmul.n),
             k = static_cast<uint64_t>(matmul.k);
  ACCELD_RETURN_IF_ERROR(DescribeMatrix(types.input, a.transposed ? k : n, a.transposed ? n : k,
                                        a.leading, matmul.batch, matmul.rhs_strides[0], a_));
  ACCELD_RETURN_IF_ERROR(DescribeMatrix(types.input, b.transposed ? m : k, b.transposed ? k : m,
                                        b.leading, matmul.batch, matmul.lhs_strides[0], b_));
  return DescribeMatrix(types.output, n, m, matmul.n, matmul.batch, matmul.m * matmul.n, d_);
}

template <typename Value>
absl::Status Matmul::SetAttribute(int attribute, const Value& value) const {
  return CublasLt::Check(
      library_.cublasLtMatmulDescSetAttribute(operation_, attribute, &value, sizeof(value)),
      "cublasLtMatmulDescSetAttribute");
}

absl::Status Matmul::DescribeMatrix(int type, uint64_t rows, uint64_t columns, int64_t leading,
                                    int64_t batch, int64_t batch_stride, CublasLt::Layout& layout) {
  ACCELD_RETURN_IF_ERROR(
      CublasLt::Check(library_.cublasLtMatrixLayoutCreate(&layout, type, rows, columns, leading),
                      "cublasLtMatrixLayoutCreate"));
  if (batch == 1) return absl::OkStatus();
  const auto count = static_cast<int32_t>(batch);
  ACCELD_RETURN_IF_ERROR(CublasLt::Check(
      library_.cublasLtMatrixLayoutSetAttribute(layout, kLayoutBatchCount, &count, sizeof(count)),
      "cublasLtMatrixLayoutSetAttribute"));
  return CublasLt::Check(library_.cublasLtMatrixLayoutSetAttribute(
                             layout, kLayoutBatchOffset, &batch_stride, sizeof(batch_stride)),
                         "cublasLtMatrixLayoutSetAttribute");
}

absl::Status Matmul::ChooseAlgorithm(const std::string& chosen) {
  if (chosen.size() == kAlgorithmBytes) {
    std::memcpy(&algorithm_, chosen.data(), kAlgorithmBytes);
    CublasLt::Heuristic checked{};
    const CublasLt::Result result = library_.cublasLtMatmulAlgoCheck(handle_, operation_, a_, b_,
                                                                     d_, d_, &algorithm_, &checked);
    if (result == 0 && checked.state == 0 && checked.workspace_bytes <= kMaxWorkspaceBytes) {
      workspace_bytes_ = checked.workspace_bytes;
      return absl::OkStatus();
    }
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<CublasLt::Heuristic> found, QueryHeuristics(1));
  algorithm_ = found[0].algorithm;
  workspace_bytes_ = found[0].workspace_bytes;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<CublasLt::Heuristic>> Matmul::QueryHeuristics(int wanted) const {
  CublasLt::Preference preference = nullptr;
  ACCELD_RETURN_IF_ERROR(CublasLt::Check(library_.cublasLtMatmulPreferenceCreate(&preference),
                                         "cublasLtMatmulPreferenceCreate"));
  const auto set = [&](int attribute, const auto& value) {
    return library_.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value,
                                                         sizeof(value));
  };
  const uint64_t max_workspace = kMaxWorkspaceBytes;
  CublasLt::Result result = set(kPrefMaxWorkspace, max_workspace);
  if (result == 0) result = set(kPrefReductionSchemes, kReduceInComputeType);
  const auto alignment = static_cast<uint32_t>(kBufferAlignment);
  for (const int attribute : kPrefAlignments) {
    if (result == 0) result = set(attribute, alignment);
  }
  std::vector<CublasLt::Heuristic> found(static_cast<size_t>(wanted));
  int num_found = 0;
  if (result == 0) {
    result = library_.cublasLtMatmulAlgoGetHeuristic(handle_, operation_, a_, b_, d_, d_,
                                                     preference, wanted, found.data(), &num_found);
  }
  library_.cublasLtMatmulPreferenceDestroy(preference);
  ACCELD_RETURN_IF_ERROR(CublasLt::Check(result, "cublasLtMatmulAlgoGetHeuristic"));
  found.resize(static_cast<size_t>(num_found));
  std::erase_if(found, [](const CublasLt::Heuristic& heuristic) { return heuristic.state != 0; });
  if (found.empty()) return absl::InternalError("cuBLASLt has no algorithm for it");
  return found;
}

absl::Status Matmul::Enqueue(const DeviceAddresses& addresses, CublasLt::Stream stream) const {
  // Of the scale type; complex ones have an imaginary part behind.
  struct Scalar {
    float in_floats[2];
    double in_doubles[2];
    int32_t in_integers;
  };
  const auto scalar = [](double value) {
    return Scalar{{static_cast<float>(value), 0}, {value, 0}, static_cast<int32_t>(value)};
  };
  const auto pointer_to = [this](const Scalar& value) -> const void* {
    if (scale_type_ == kR64F || scale_type_ == kC64F) return value.in_doubles;
    if (scale_type_ == kR32I) return &value.in_integers;
    return value.in_floats;
  };
  const Scalar alpha = scalar(alpha_), beta = scalar(beta_);
  const auto pointer = [](uint64_t address) { return reinterpret_cast<void*>(address); };
  MutexLock lock(operation_mutex_);
  if (has_bias_) ACCELD_RETURN_IF_ERROR(SetAttribute(kDescBiasPointer, addresses.bias));
  return CublasLt::Check(
      library_.cublasLtMatmul(handle_, operation_, pointer_to(alpha), pointer(addresses.rhs), a_,
                              pointer(addresses.lhs), b_, pointer_to(beta),
                              pointer(has_addend_ ? addresses.addend : addresses.out), d_,
                              pointer(addresses.out), d_, &algorithm_, pointer(addresses.workspace),
                              workspace_bytes_, stream),
      "cublasLtMatmul");
}

}  // namespace acceld::kernels::cuda
