#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "common/ir/types/element.h"
#include "kernels/cuda/cudnn/cudnn.h"
#include "tests/support/fake_cuda/fake_library.h"

// Convolutions by their definition, by the names of cuDNN and on streams of the fake driver, so
// that the library of this file can stand in for it. Sums are doubles, and rounded once. It refuses
// what the library's documentation rules out, and tensors that are not as large as they have to be.
// Among its algorithms are some that nobody should take, though the heuristics think well of them:
// the results of these are garbage. Of large convolutions the first good one is slow.
namespace {

using acceld::ir::DType;
using acceld::kernels::cuda::Cudnn;
using acceld::testing::fake::kGarbage;
using acceld::testing::fake::RunOnStream;

constexpr int kBadParameter = 2000, kNotSupported = 3000;
constexpr int kFloat = 0, kDouble = 1, kHalf = 2, kBFloat16 = 9;
constexpr int kNhwc = 1, kFmaMath = 3, kConvolution = 0;
constexpr size_t kWorkspaceBytes = 1536;
constexpr size_t kHugeBytes = size_t{1} << 40;
constexpr double kLargeWork = 1 << 24;

struct Context {
  void* stream = nullptr;
};

// Of a tensor or filter [batch or outputs, channels, spatial...], or of a convolution.
struct Described {
  int type = -1, rank = 0;
  std::array<int64_t, 5> sizes{}, strides{};
  std::array<int, 3> padding{}, steps{}, dilations{};
  int mode = 0, compute_type = -1, groups = 1, math = 0;
};

Context& ContextOf(Cudnn::Handle handle) { return *reinterpret_cast<Context*>(handle); }
Described& Of(Cudnn::Descriptor descriptor) { return *reinterpret_cast<Described*>(descriptor); }

DType DTypeOf(int type) {
  switch (type) {
    case kDouble:
      return DType::kF64;
    case kHalf:
      return DType::kF16;
    case kBFloat16:
      return DType::kBF16;
    default:
      return DType::kF32;
  }
}

struct Problem {
  Described image, filter, result, convolution;

  int rank() const { return convolution.rank; }
  double work() const {
    double work = static_cast<double>(result.sizes[0] * result.sizes[1] * filter.sizes[1]);
    for (int i = 2; i < rank() + 2; ++i) {
      work *= static_cast<double>(result.sizes[i] * filter.sizes[i]);
    }
    return work;
  }

  // What is wrong with it; 0 if nothing.
  int Refusal() const {
    const Described& c = convolution;
    if (image.rank != rank() + 2 || filter.rank != image.rank || result.rank != image.rank ||
        image.type != filter.type || image.type != result.type) {
      return kBadParameter;
    }
    if (image.sizes[0] != result.sizes[0] || image.sizes[1] != filter.sizes[1] * c.groups ||
        result.sizes[1] != filter.sizes[0] || filter.sizes[0] % c.groups != 0) {
      return kBadParameter;
    }
    for (int i = 0; i < rank(); ++i) {
      const int64_t covered = (filter.sizes[2 + i] - 1) * c.dilations[i] + 1;
      const int64_t padded = image.sizes[2 + i] + 2 * c.padding[i];
      if (padded < covered || result.sizes[2 + i] != (padded - covered) / c.steps[i] + 1) {
        return kBadParameter;
      }
    }
    if (c.compute_type != (image.type == kDouble ? kDouble : kFloat)) return kBadParameter;
    // All channels last, or none.
    const auto is_last = [](const Described& one) { return one.strides[1] == 1; };
    const bool has_channels = image.sizes[1] > 1 && result.sizes[1] > 1 && filter.sizes[1] > 1;
    if (has_channels && (is_last(image) != is_last(result) || is_last(image) != is_last(filter))) {
      return kNotSupported;
    }
    if (image.type == kDouble && rank() == 3) return kNotSupported;
    return 0;
  }
};

enum class Target { kForward, kBackwardData, kBackwardFilter };

// All products, into the sums of the target.
class Computation {
 public:
  Computation(const Problem& problem, Target target, const char* image, const char* filter,
              const char* result, char* out)
      : problem_(problem), target_(target), out_(out) {
    Read(problem.image, image, image_);
    Read(problem.filter, filter, filter_);
    Read(problem.result, result, result_);
    sums_.resize(ElementsOf(Made()));
  }

  void Run() {
    const Described& result = problem_.result;
    std::array<int64_t, 5> at{};
    for (at[0] = 0; at[0] < result.sizes[0]; ++at[0]) {
      for (at[1] = 0; at[1] < result.sizes[1]; ++at[1]) AtSpatial(0, at);
    }
    const Described& made = Made();
    for (size_t i = 0; i < sums_.size(); ++i) {
      acceld::ir::WriteFloat(DTypeOf(made.type), out_, static_cast<int64_t>(i), sums_[i]);
    }
  }

 private:
  const Described& Made() const {
    switch (target_) {
      case Target::kForward:
        return problem_.result;
      case Target::kBackwardData:
        return problem_.image;
      case Target::kBackwardFilter:
        break;
    }
    return problem_.filter;
  }
  static size_t ElementsOf(const Described& tensor) {
    int64_t elements = 1;
    for (int i = 0; i < tensor.rank; ++i) elements += (tensor.sizes[i] - 1) * tensor.strides[i];
    return static_cast<size_t>(elements);
  }
  static void Read(const Described& tensor, const char* data, std::vector<double>& values) {
    if (data == nullptr) return;  // That is what is computed.
    values.resize(ElementsOf(tensor));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = acceld::ir::ReadFloat(DTypeOf(tensor.type), data, static_cast<int64_t>(i));
    }
  }

  void AtSpatial(int d, std::array<int64_t, 5>& at) {
    if (d < problem_.rank()) {
      for (at[2 + d] = 0; at[2 + d] < problem_.result.sizes[2 + d]; ++at[2 + d]) {
        AtSpatial(d + 1, at);
      }
      return;
    }
    std::array<int64_t, 5> cell{};
    AtCell(0, at, cell);
  }

  void AtCell(int d, const std::array<int64_t, 5>& at, std::array<int64_t, 5>& cell) {
    if (d < problem_.rank()) {
      for (cell[2 + d] = 0; cell[2 + d] < problem_.filter.sizes[2 + d]; ++cell[2 + d]) {
        AtCell(d + 1, at, cell);
      }
      return;
    }
    const Described& c = problem_.convolution;
    const int64_t inputs = problem_.filter.sizes[1];
    const int64_t group = at[1] / (problem_.filter.sizes[0] / c.groups);
    int64_t image = at[0] * problem_.image.strides[0] + group * inputs * problem_.image.strides[1];
    int64_t filter = at[1] * problem_.filter.strides[0], result = 0;
    for (int i = 0; i < problem_.rank(); ++i) {
      const int64_t position = at[2 + i] * c.steps[i] - c.padding[i] + cell[2 + i] * c.dilations[i];
      if (position < 0 || position >= problem_.image.sizes[2 + i]) return;
      image += position * problem_.image.strides[2 + i];
      const int64_t number =
          c.mode == kConvolution ? problem_.filter.sizes[2 + i] - 1 - cell[2 + i] : cell[2 + i];
      filter += number * problem_.filter.strides[2 + i];
    }
    for (int i = 0; i < problem_.result.rank; ++i) result += at[i] * problem_.result.strides[i];
    for (int64_t input = 0; input < inputs; ++input) {
      Add(image + input * problem_.image.strides[1], filter + input * problem_.filter.strides[1],
          result);
    }
  }

  void Add(int64_t image, int64_t filter, int64_t result) {
    const auto i = static_cast<size_t>(image), f = static_cast<size_t>(filter);
    const auto r = static_cast<size_t>(result);
    switch (target_) {
      case Target::kForward:
        sums_[r] += image_[i] * filter_[f];
        return;
      case Target::kBackwardData:
        sums_[i] += result_[r] * filter_[f];
        return;
      case Target::kBackwardFilter:
        sums_[f] += image_[i] * result_[r];
    }
  }

  const Problem problem_;
  const Target target_;
  char* const out_;
  std::vector<double> image_, filter_, result_, sums_;
};

Problem ProblemOf(Cudnn::Descriptor image, Cudnn::Descriptor filter, Cudnn::Descriptor result,
                  Cudnn::Descriptor convolution) {
  return {Of(image), Of(filter), Of(result), Of(convolution)};
}

// The good ones are 1 and, forward, 0.
bool IsGood(int number, Target target) {
  return number == 1 || (number == 0 && target == Target::kForward);
}

int FindAlgorithms(const char* function, const Problem& problem, Target target, int wanted,
                   int* found, Cudnn::Algorithm* algorithms) {
  if (const int result = FakeCudaBegin(function); result != 0) return result;
  if (const int refusal = problem.Refusal(); refusal != 0) return refusal;
  const int math = problem.convolution.math;
  const std::vector<Cudnn::Algorithm> all = {
      {.number = 4, .is_deterministic = 1, .math = math},
      {.number = 2, .is_deterministic = 1, .math = math},
      {.number = 1,
       .status = kNotSupported,
       .workspace_bytes = kWorkspaceBytes,
       .is_deterministic = 1,
       .math = 2},
      {.number = 1, .workspace_bytes = kWorkspaceBytes, .is_deterministic = 1, .math = math},
      {.number = 0, .is_deterministic = target == Target::kForward ? 1 : 0, .math = math}};
  *found = 0;
  for (const Cudnn::Algorithm& algorithm : all) {
    if (*found < wanted) algorithms[(*found)++] = algorithm;
  }
  return 0;
}

// The heuristics do not know what it says of algorithm 2.
int FindWorkspace(const char* function, const Problem& problem, int algorithm, size_t* bytes) {
  if (const int result = FakeCudaBegin(function); result != 0) return result;
  if (const int refusal = problem.Refusal(); refusal != 0) return refusal;
  if (algorithm == 2 && problem.image.type == kFloat) return kNotSupported;
  *bytes = algorithm == 2 ? kHugeBytes : algorithm == 1 ? kWorkspaceBytes : 0;
  return 0;
}

int Convolve(const char* function, Cudnn::Handle handle, const Problem& problem, Target target,
             const void* alpha, const void* beta, int algorithm, void* workspace,
             size_t workspace_bytes, const void* image, const void* filter, const void* result,
             void* out) {
  if (const int failure = FakeCudaBegin(function); failure != 0) return failure;
  if (const int refusal = problem.Refusal(); refusal != 0) return refusal;
  const bool is_double = problem.image.type == kDouble;
  const double one =
      is_double ? *static_cast<const double*>(alpha) : double(*static_cast<const float*>(alpha));
  const double zero =
      is_double ? *static_cast<const double*>(beta) : double(*static_cast<const float*>(beta));
  if (one != 1 || zero != 0) return kBadParameter;
  // f32 would be rounded to TF32.
  if (problem.image.type == kFloat && problem.convolution.math != kFmaMath) return kBadParameter;
  const bool wants_workspace = algorithm == 1;
  if (wants_workspace && (workspace == nullptr || workspace_bytes < kWorkspaceBytes)) {
    return kBadParameter;
  }
  return RunOnStream(ContextOf(handle).stream, [=] {
    if (wants_workspace) std::memset(workspace, kGarbage, kWorkspaceBytes);
    const auto begin = std::chrono::steady_clock::now();
    if (!IsGood(algorithm, target)) {
      std::memset(out, kGarbage, 4);
      return;
    }
    Computation(problem, target, static_cast<const char*>(image), static_cast<const char*>(filter),
                static_cast<const char*>(result), static_cast<char*>(out))
        .Run();
    // Slow beside the others, whatever these take.
    if (algorithm == 1 && problem.work() >= kLargeWork) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20) +
                                  2 * (std::chrono::steady_clock::now() - begin));
    }
  });
}

int Create(const char* function, Cudnn::Descriptor* descriptor) {
  if (const int result = FakeCudaBegin(function); result != 0) return result;
  *descriptor = reinterpret_cast<Cudnn::Descriptor>(new Described);
  FakeCudaCount(1);
  return 0;
}

int Destroy(Cudnn::Descriptor descriptor) {
  delete &Of(descriptor);
  FakeCudaCount(-1);
  return 0;
}

}  // namespace

extern "C" {

int cudnnCreate(Cudnn::Handle* handle) {
  if (const int result = FakeCudaBegin("cudnnCreate"); result != 0) return result;
  *handle = reinterpret_cast<Cudnn::Handle>(new Context);
  FakeCudaCount(1);
  return 0;
}

int cudnnDestroy(Cudnn::Handle handle) {
  delete &ContextOf(handle);
  FakeCudaCount(-1);
  return 0;
}

int cudnnSetStream(Cudnn::Handle handle, void* stream) {
  ContextOf(handle).stream = stream;
  return 0;
}

int cudnnGetProperty(int type, int* value) {
  constexpr int kVersion[] = {9, 12, 0};
  *value = kVersion[type];
  return 0;
}

int cudnnCreateTensorDescriptor(Cudnn::Descriptor* tensor) {
  return Create("cudnnCreateTensorDescriptor", tensor);
}
int cudnnCreateFilterDescriptor(Cudnn::Descriptor* filter) {
  return Create("cudnnCreateFilterDescriptor", filter);
}
int cudnnCreateConvolutionDescriptor(Cudnn::Descriptor* convolution) {
  return Create("cudnnCreateConvolutionDescriptor", convolution);
}
int cudnnDestroyTensorDescriptor(Cudnn::Descriptor tensor) { return Destroy(tensor); }
int cudnnDestroyFilterDescriptor(Cudnn::Descriptor filter) { return Destroy(filter); }
int cudnnDestroyConvolutionDescriptor(Cudnn::Descriptor convolution) {
  return Destroy(convolution);
}

int cudnnSetTensorNdDescriptor(Cudnn::Descriptor tensor, int type, int rank, const int* sizes,
                               const int* strides) {
  if (rank < 4 || rank > 5) return kBadParameter;
  Described& set = Of(tensor);
  set.type = type;
  set.rank = rank;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] < 1 || strides[i] < 1) return kBadParameter;
    set.sizes[i] = sizes[i];
    set.strides[i] = strides[i];
  }
  return 0;
}

int cudnnSetFilterNdDescriptor(Cudnn::Descriptor filter, int type, int format, int rank,
                               const int* sizes) {
  if (rank < 4 || rank > 5) return kBadParameter;
  Described& set = Of(filter);
  set.type = type;
  set.rank = rank;
  int64_t next = 1;
  const auto add = [&](int i) {
    set.sizes[i] = sizes[i];
    set.strides[i] = next;
    next *= sizes[i];
  };
  if (format == kNhwc) add(1);
  for (int i = rank; i-- > 2;) add(i);
  if (format != kNhwc) add(1);
  add(0);
  return 0;
}

int cudnnSetConvolutionNdDescriptor(Cudnn::Descriptor convolution, int rank, const int* padding,
                                    const int* strides, const int* dilations, int mode,
                                    int compute_type) {
  if (rank < 2 || rank > 3) return kBadParameter;
  Described& set = Of(convolution);
  set.rank = rank;
  for (int i = 0; i < rank; ++i) {
    if (padding[i] < 0 || strides[i] < 1 || dilations[i] < 1) return kBadParameter;
    set.padding[i] = padding[i];
    set.steps[i] = strides[i];
    set.dilations[i] = dilations[i];
  }
  set.mode = mode;
  set.compute_type = compute_type;
  return 0;
}

int cudnnSetConvolutionGroupCount(Cudnn::Descriptor convolution, int groups) {
  Of(convolution).groups = groups;
  return 0;
}

int cudnnSetConvolutionMathType(Cudnn::Descriptor convolution, int math) {
  Of(convolution).math = math;
  return 0;
}

int cudnnGetConvolutionForwardAlgorithm_v7(Cudnn::Handle /*handle*/, Cudnn::Descriptor image,
                                           Cudnn::Descriptor filter, Cudnn::Descriptor convolution,
                                           Cudnn::Descriptor result, int wanted, int* found,
                                           Cudnn::Algorithm* algorithms) {
  return FindAlgorithms("cudnnGetConvolutionForwardAlgorithm_v7",
                        ProblemOf(image, filter, result, convolution), Target::kForward, wanted,
                        found, algorithms);
}

int cudnnGetConvolutionBackwardDataAlgorithm_v7(Cudnn::Handle /*handle*/, Cudnn::Descriptor filter,
                                                Cudnn::Descriptor result,
                                                Cudnn::Descriptor convolution,
                                                Cudnn::Descriptor image, int wanted, int* found,
                                                Cudnn::Algorithm* algorithms) {
  return FindAlgorithms("cudnnGetConvolutionBackwardDataAlgorithm_v7",
                        ProblemOf(image, filter, result, convolution), Target::kBackwardData,
                        wanted, found, algorithms);
}

int cudnnGetConvolutionBackwardFilterAlgorithm_v7(Cudnn::Handle /*handle*/, Cudnn::Descriptor image,
                                                  Cudnn::Descriptor result,
                                                  Cudnn::Descriptor convolution,
                                                  Cudnn::Descriptor filter, int wanted, int* found,
                                                  Cudnn::Algorithm* algorithms) {
  return FindAlgorithms("cudnnGetConvolutionBackwardFilterAlgorithm_v7",
                        ProblemOf(image, filter, result, convolution), Target::kBackwardFilter,
                        wanted, found, algorithms);
}

int cudnnGetConvolutionForwardWorkspaceSize(Cudnn::Handle /*handle*/, Cudnn::Descriptor image,
                                            Cudnn::Descriptor filter, Cudnn::Descriptor convolution,
                                            Cudnn::Descriptor result, int algorithm,
                                            size_t* bytes) {
  return FindWorkspace("cudnnGetConvolutionForwardWorkspaceSize",
                       ProblemOf(image, filter, result, convolution), algorithm, bytes);
}

int cudnnGetConvolutionBackwardDataWorkspaceSize(Cudnn::Handle /*handle*/, Cudnn::Descriptor filter,
                                                 Cudnn::Descriptor result,
                                                 Cudnn::Descriptor convolution,
                                                 Cudnn::Descriptor image, int algorithm,
                                                 size_t* bytes) {
  return FindWorkspace("cudnnGetConvolutionBackwardDataWorkspaceSize",
                       ProblemOf(image, filter, result, convolution), algorithm, bytes);
}

int cudnnGetConvolutionBackwardFilterWorkspaceSize(
    Cudnn::Handle /*handle*/, Cudnn::Descriptor image, Cudnn::Descriptor result,
    Cudnn::Descriptor convolution, Cudnn::Descriptor filter, int algorithm, size_t* bytes) {
  return FindWorkspace("cudnnGetConvolutionBackwardFilterWorkspaceSize",
                       ProblemOf(image, filter, result, convolution), algorithm, bytes);
}

int cudnnConvolutionForward(Cudnn::Handle handle, const void* alpha, Cudnn::Descriptor image_type,
                            const void* image, Cudnn::Descriptor filter_type, const void* filter,
                            Cudnn::Descriptor convolution, int algorithm, void* workspace,
                            size_t workspace_bytes, const void* beta, Cudnn::Descriptor result_type,
                            void* result) {
  return Convolve("cudnnConvolutionForward", handle,
                  ProblemOf(image_type, filter_type, result_type, convolution), Target::kForward,
                  alpha, beta, algorithm, workspace, workspace_bytes, image, filter, nullptr,
                  result);
}

int cudnnConvolutionBackwardData(Cudnn::Handle handle, const void* alpha,
                                 Cudnn::Descriptor filter_type, const void* filter,
                                 Cudnn::Descriptor result_type, const void* result,
                                 Cudnn::Descriptor convolution, int algorithm, void* workspace,
                                 size_t workspace_bytes, const void* beta,
                                 Cudnn::Descriptor image_type, void* image) {
  return Convolve("cudnnConvolutionBackwardData", handle,
                  ProblemOf(image_type, filter_type, result_type, convolution),
                  Target::kBackwardData, alpha, beta, algorithm, workspace, workspace_bytes,
                  nullptr, filter, result, image);
}

int cudnnConvolutionBackwardFilter(Cudnn::Handle handle, const void* alpha,
                                   Cudnn::Descriptor image_type, const void* image,
                                   Cudnn::Descriptor result_type, const void* result,
                                   Cudnn::Descriptor convolution, int algorithm, void* workspace,
                                   size_t workspace_bytes, const void* beta,
                                   Cudnn::Descriptor filter_type, void* filter) {
  return Convolve("cudnnConvolutionBackwardFilter", handle,
                  ProblemOf(image_type, filter_type, result_type, convolution),
                  Target::kBackwardFilter, alpha, beta, algorithm, workspace, workspace_bytes,
                  image, nullptr, result, filter);
}

}  // extern "C"
