#include "kernels/cuda/cudnn/convolution.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace acceld::kernels::cuda {
namespace {

using Function = CudnnForm::Function;

// Values of cudnnDataType_t, cudnnTensorFormat_t, cudnnMathType_t and cudnnConvolutionMode_t.
constexpr int kFloat = 0, kDouble = 1, kHalf = 2, kBFloat16 = 9;
constexpr int kNchw = 0, kNhwc = 1;
constexpr int kDefaultMath = 0, kTensorOpMath = 1, kFmaMath = 3;
constexpr int kConvolution = 0, kCrossCorrelation = 1;
// The algorithms that sum plain products in a fixed order: IMPLICIT_GEMM, IMPLICIT_PRECOMP_GEMM and
// GEMM of cudnnConvolutionFwdAlgo_t, and ALGO_1 of the enums for the two backward functions.
constexpr int kLastForward = 2, kBackward = 1;
// No function has more algorithms than this.
constexpr int kMaxAlgorithms = 16;

int TypeOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kF16:
      return kHalf;
    case ir::DType::kBF16:
      return kBFloat16;
    case ir::DType::kF64:
      return kDouble;
    default:
      return kFloat;
  }
}

bool IsWanted(const Cudnn::Algorithm& algorithm, Function function) {
  const bool is_of_products = function == Function::kForward ? algorithm.number <= kLastForward
                                                             : algorithm.number == kBackward;
  return algorithm.status == 0 && algorithm.is_deterministic == 1 && is_of_products;
}

std::string NameOf(const Cudnn::Algorithm& algorithm) {
  return absl::StrCat(algorithm.number, ":", algorithm.math);
}

void* At(uint64_t address) { return reinterpret_cast<void*>(address); }

// Sizes or strides in the order batch, channels, spatial dimensions. Strides express the layout.
struct Ints {
  int values[2 + CudnnForm::kMaxRank];
};

}  // namespace

absl::StatusOr<std::vector<std::string>> CudnnConvolution::FindAlgorithms(
    const Cudnn& library, Cudnn::Handle handle, const ConvolutionStep& convolution) {
  const absl::optional<CudnnForm> form = CudnnFormOf(convolution);
  if (!form.has_value()) return absl::UnimplementedError("no convolution of cuDNN's");
  CudnnConvolution asked(library);
  ACCELD_RETURN_IF_ERROR(asked.Describe(*form, convolution.input_dtype));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Cudnn::Algorithm> algorithms,
                          asked.FindAlgorithms(handle));
  std::vector<std::string> names;
  for (const Cudnn::Algorithm& algorithm : algorithms) names.push_back(NameOf(algorithm));
  return names;
}

absl::StatusOr<std::unique_ptr<const CudnnConvolution>> CudnnConvolution::Prepare(
    const Cudnn& library, Cudnn::Handle handle, const ConvolutionStep& convolution) {
  const absl::optional<CudnnForm> form = CudnnFormOf(convolution);
  if (!form.has_value() || !form->HasPackedFilter()) {
    return absl::UnimplementedError("no convolution of cuDNN's");
  }
  std::unique_ptr<CudnnConvolution> prepared(new CudnnConvolution(library));
  ACCELD_RETURN_IF_ERROR(prepared->Describe(*form, convolution.input_dtype));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Cudnn::Algorithm> algorithms,
                          prepared->FindAlgorithms(handle));
  const auto named = std::find_if(
      algorithms.begin(), algorithms.end(),
      [&](const Cudnn::Algorithm& known) { return NameOf(known) == convolution.algorithm; });
  prepared->algorithm_ = named == algorithms.end() ? algorithms.front() : *named;
  ACCELD_RETURN_IF_ERROR(prepared->SetMath(prepared->algorithm_.math));
  return prepared;
}

CudnnConvolution::~CudnnConvolution() {
  if (image_ != nullptr) (void)library_.cudnnDestroyTensorDescriptor(image_);
  if (result_ != nullptr) (void)library_.cudnnDestroyTensorDescriptor(result_);
  if (filter_ != nullptr) (void)library_.cudnnDestroyFilterDescriptor(filter_);
  if (convolution_ != nullptr) (void)library_.cudnnDestroyConvolutionDescriptor(convolution_);
}

absl::Status CudnnConvolution::DescribeTensor(const CudnnForm& form, int type, bool is_image,
                                              Cudnn::Descriptor& tensor) const {
  Ints sizes{}, strides{};
  const int64_t channels = form.groups * (is_image ? form.inputs : form.outputs);
  sizes.values[0] = static_cast<int>(form.batch);
  sizes.values[1] = static_cast<int>(channels);
  int64_t next = form.channels_last ? channels : 1;
  for (int i = form.rank; i-- > 0;) {
    const int64_t size = is_image ? form.spatial[i].image : form.spatial[i].result;
    sizes.values[2 + i] = static_cast<int>(size);
    strides.values[2 + i] = static_cast<int>(next);
    next *= size;
  }
  strides.values[1] = form.channels_last ? 1 : static_cast<int>(next);
  strides.values[0] = static_cast<int>(form.channels_last ? next : next * channels);
  ACCELD_RETURN_IF_ERROR(
      Cudnn::Check(library_.cudnnCreateTensorDescriptor(&tensor), "cudnnCreateTensorDescriptor"));
  return Cudnn::Check(library_.cudnnSetTensorNdDescriptor(tensor, type, 2 + form.rank, sizes.values,
                                                          strides.values),
                      "cudnnSetTensorNdDescriptor");
}

absl::Status CudnnConvolution::Describe(const CudnnForm& form, ir::DType dtype) {
  const int type = TypeOf(dtype);
  function_ = form.function;
  is_double_ = type == kDouble;
  is_float_ = type == kFloat;
  ACCELD_RETURN_IF_ERROR(DescribeTensor(form, type, /*is_image=*/true, image_));
  ACCELD_RETURN_IF_ERROR(DescribeTensor(form, type, /*is_image=*/false, result_));

  Ints sizes{}, padding{}, strides{}, dilations{};
  sizes.values[0] = static_cast<int>(form.groups * form.outputs);
  sizes.values[1] = static_cast<int>(form.inputs);
  for (int i = 0; i < form.rank; ++i) {
    sizes.values[2 + i] = static_cast<int>(form.spatial[i].filter);
    padding.values[i] = static_cast<int>(form.spatial[i].padding);
    strides.values[i] = static_cast<int>(form.spatial[i].stride);
    dilations.values[i] = static_cast<int>(form.spatial[i].dilation);
  }
  ACCELD_RETURN_IF_ERROR(
      Cudnn::Check(library_.cudnnCreateFilterDescriptor(&filter_), "cudnnCreateFilterDescriptor"));
  ACCELD_RETURN_IF_ERROR(Cudnn::Check(
      library_.cudnnSetFilterNdDescriptor(filter_, type, form.channels_last ? kNhwc : kNchw,
                                          2 + form.rank, sizes.values),
      "cudnnSetFilterNdDescriptor"));

  ACCELD_RETURN_IF_ERROR(Cudnn::Check(library_.cudnnCreateConvolutionDescriptor(&convolution_),
                                      "cudnnCreateConvolutionDescriptor"));
  ACCELD_RETURN_IF_ERROR(Cudnn::Check(
      library_.cudnnSetConvolutionNdDescriptor(
          convolution_, form.rank, padding.values, strides.values, dilations.values,
          form.is_flipped ? kConvolution : kCrossCorrelation, is_double_ ? kDouble : kFloat),
      "cudnnSetConvolutionNdDescriptor"));
  ACCELD_RETURN_IF_ERROR(Cudnn::Check(
      library_.cudnnSetConvolutionGroupCount(convolution_, static_cast<int>(form.groups)),
      "cudnnSetConvolutionGroupCount"));
  return SetMath(is_double_ ? kDefaultMath : kTensorOpMath);
}

absl::Status CudnnConvolution::SetMath(int math) {
  // Any other math type would let cuDNN compute f32 as TF32.
  return Cudnn::Check(
      library_.cudnnSetConvolutionMathType(convolution_, is_float_ ? kFmaMath : math),
      "cudnnSetConvolutionMathType");
}

absl::StatusOr<std::vector<Cudnn::Algorithm>> CudnnConvolution::FindAlgorithms(
    Cudnn::Handle handle) {
  Cudnn::Algorithm found[kMaxAlgorithms] = {};
  int count = 0;
  ACCELD_RETURN_IF_ERROR(Cudnn::Check(QueryHeuristics(handle, kMaxAlgorithms, count, found),
                                      "cudnnGetConvolutionAlgorithm"));
  std::vector<Cudnn::Algorithm> wanted;
  for (Cudnn::Algorithm& one : absl::MakeSpan(found, std::min(count, kMaxAlgorithms))) {
    if (IsWanted(one, function_) && IsUsable(handle, one)) wanted.push_back(one);
  }
  if (wanted.empty()) return absl::UnimplementedError("cuDNN has no algorithm for a convolution");
  return wanted;
}

Cudnn::Result CudnnConvolution::QueryHeuristics(Cudnn::Handle handle, int wanted, int& count,
                                                Cudnn::Algorithm* found) const {
  switch (function_) {
    case Function::kForward:
      return library_.cudnnGetConvolutionForwardAlgorithm_v7(handle, image_, filter_, convolution_,
                                                             result_, wanted, &count, found);
    case Function::kBackwardData:
      return library_.cudnnGetConvolutionBackwardDataAlgorithm_v7(
          handle, filter_, result_, convolution_, image_, wanted, &count, found);
    case Function::kBackwardFilter:
      break;
  }
  return library_.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
      handle, image_, result_, convolution_, filter_, wanted, &count, found);
}

// Whether cuDNN accepts the algorithm, with a workspace of at most kMaxWorkspaceBytes, which this
// function sets. The heuristics also list algorithms that cuDNN then refuses to run.
bool CudnnConvolution::IsUsable(Cudnn::Handle handle, Cudnn::Algorithm& algorithm) {
  if (!SetMath(algorithm.math).ok()) return false;
  size_t* const bytes = &algorithm.workspace_bytes;
  Cudnn::Result result = 0;
  switch (function_) {
    case Function::kForward:
      result = library_.cudnnGetConvolutionForwardWorkspaceSize(
          handle, image_, filter_, convolution_, result_, algorithm.number, bytes);
      break;
    case Function::kBackwardData:
      result = library_.cudnnGetConvolutionBackwardDataWorkspaceSize(
          handle, filter_, result_, convolution_, image_, algorithm.number, bytes);
      break;
    case Function::kBackwardFilter:
      result = library_.cudnnGetConvolutionBackwardFilterWorkspaceSize(
          handle, image_, result_, convolution_, filter_, algorithm.number, bytes);
      break;
  }
  return result == 0 && *bytes <= kMaxWorkspaceBytes;
}

absl::Status CudnnConvolution::Enqueue(const DeviceAddresses& addresses,
                                       Cudnn::Handle handle) const {
  const float one = 1, zero = 0;
  const double double_one = 1, double_zero = 0;
  const void* const alpha = is_double_ ? static_cast<const void*>(&double_one) : &one;
  const void* const beta = is_double_ ? static_cast<const void*>(&double_zero) : &zero;
  void* const workspace = algorithm_.workspace_bytes == 0 ? nullptr : At(addresses.workspace);
  switch (function_) {
    case Function::kForward:
      return Cudnn::Check(library_.cudnnConvolutionForward(
                              handle, alpha, image_, At(addresses.lhs), filter_, At(addresses.rhs),
                              convolution_, algorithm_.number, workspace,
                              algorithm_.workspace_bytes, beta, result_, At(addresses.out)),
                          "cudnnConvolutionForward");
    case Function::kBackwardData:
      return Cudnn::Check(library_.cudnnConvolutionBackwardData(
                              handle, alpha, filter_, At(addresses.rhs), result_, At(addresses.lhs),
                              convolution_, algorithm_.number, workspace,
                              algorithm_.workspace_bytes, beta, image_, At(addresses.out)),
                          "cudnnConvolutionBackwardData");
    case Function::kBackwardFilter:
      break;
  }
  return Cudnn::Check(library_.cudnnConvolutionBackwardFilter(
                          handle, alpha, image_, At(addresses.lhs), result_, At(addresses.rhs),
                          convolution_, algorithm_.number, workspace, algorithm_.workspace_bytes,
                          beta, filter_, At(addresses.out)),
                      "cudnnConvolutionBackwardFilter");
}

}  // namespace acceld::kernels::cuda
