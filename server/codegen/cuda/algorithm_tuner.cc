#include "server/codegen/cuda/algorithm_tuner.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/cublas/matmul.h"
#include "kernels/cuda/cudnn/convolution.h"
#include "server/hal/cuda/streams/stopwatch.h"

namespace acceld::codegen::cuda {
namespace {

using kernels::ConvolutionStep;
using kernels::MatmulStep;
using kernels::cuda::CudnnConvolution;
using kernels::cuda::Matmul;

// Limits for the number of multiplications of a call that is measured. Smaller calls take less time
// than their launch.
constexpr double kMinWork = int64_t{1} << 24;
// Larger calls would keep the device from other programs for too long, and the heuristics choose
// best for them. The limit is lower for f64 and complex numbers, in which some GPUs are slow.
constexpr double kMaxWork = int64_t{1} << 42, kMaxSlowWork = int64_t{1} << 34;
constexpr int kMaxMatmulAlgorithms = 8;
constexpr std::chrono::milliseconds kMaxTime{2000};
// An algorithm replaces the best one so far only if its time is below this fraction of the best
// time, so that the noise of the measurement does not decide.
constexpr float kMaxTimeRatio = 0.97f;
// Buffers for measuring take at most this part (one in so many) of the free device memory.
constexpr int64_t kFreeMemoryDivisor = 4;

double WorkOf(const MatmulStep& matmul) {
  double work = 1;
  for (const int64_t size : {matmul.batch, matmul.m, matmul.n, matmul.k}) {
    work *= static_cast<double>(size);
  }
  return work;
}
double WorkOf(const ConvolutionStep& convolution) {
  return convolution.shape.num_multiplications();
}

// Whether two calls differ only in the addresses of their buffers.
bool AreAlike(const MatmulStep& a, const MatmulStep& b) {
  const auto shape = [](const MatmulStep& m) {
    return std::tuple(m.input_dtype, m.output_dtype, m.batch, m.m, m.n, m.k, m.allow_tf32,
                      m.epilogue.activation, m.epilogue.has_bias, m.epilogue.has_addend(),
                      m.epilogue.addend == m.out);
  };
  return shape(a) == shape(b) && std::equal(a.lhs_strides, a.lhs_strides + 3, b.lhs_strides) &&
         std::equal(a.rhs_strides, a.rhs_strides + 3, b.rhs_strides);
}
bool AreAlike(const ConvolutionStep& a, const ConvolutionStep& b) {
  return a.shape == b.shape && a.input_dtype == b.input_dtype;
}

// The calls of a program that are worth measuring, including those in loops and branches.
struct Calls {
  std::vector<MatmulStep*> matmuls;
  std::vector<ConvolutionStep*> convolutions;

  void CollectFrom(kernels::Steps& steps) {
    for (kernels::Step& step : steps) {
      if (auto* const matmul = std::get_if<MatmulStep>(&step.value)) {
        AddTo(matmuls, *matmul);
      } else if (auto* const convolution = std::get_if<ConvolutionStep>(&step.value)) {
        AddTo(convolutions, *convolution);
      } else if (auto* const loop = std::get_if<kernels::WhileStep>(&step.value)) {
        CollectFrom(loop->condition);
        CollectFrom(loop->body);
      } else if (auto* const choice = std::get_if<kernels::SwitchStep>(&step.value)) {
        for (kernels::Steps& branch : choice->branches) CollectFrom(branch);
      }
    }
  }

 private:
  template <typename Call>
  static void AddTo(std::vector<Call*>& calls, Call& call) {
    const double max_work = ir::BitsOf(call.input_dtype) > 32 ? kMaxSlowWork : kMaxWork;
    if (WorkOf(call) >= kMinWork && WorkOf(call) <= max_work) calls.push_back(&call);
  }
};

// Measures the calls of one program.
class Measurement {
 public:
  // The arguments must outlive the object.
  Measurement(hal::cuda::Context& context, const hal::cuda::Libraries& libraries,
              hal::MemoryPool& memory, hal::cuda::Stopwatch& stopwatch)
      : context_(context), libraries_(libraries), memory_(memory), stopwatch_(stopwatch) {}

  // Sets the algorithm of each call. Calls that are alike are measured once.
  template <typename Call>
  void ChooseFor(const std::vector<Call*>& calls) {
    std::vector<const Call*> measured;
    for (Call* const call : calls) {
      const auto alike = std::find_if(measured.begin(), measured.end(), [call](const Call* other) {
        return AreAlike(*other, *call);
      });
      if (alike != measured.end()) {
        call->algorithm = (*alike)->algorithm;
        continue;
      }
      if (IsOutOfTime()) return;
      absl::StatusOr<std::string> fastest = FastestOf(*call);
      // An error is ignored: if the device does not work, the program reports that when it runs.
      if (fastest.ok()) call->algorithm = *std::move(fastest);
      measured.push_back(call);
    }
  }

 private:
  struct BlockRequest {
    uint64_t* address;
    int64_t size_bytes;
  };
  using Blocks = std::vector<std::shared_ptr<hal::Buffer>>;

  // The overloads for products and convolutions return the name of the fastest algorithm; an empty
  // name leaves the choice to the heuristics.
  absl::StatusOr<std::string> FastestOf(const MatmulStep& matmul) {
    const kernels::cuda::CublasLt& library = *libraries_.cublas_lt();
    const auto handle = libraries_.cublas_lt_handle();
    ACCELD_RETURN_IF_ERROR(context_.Enter());
    ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> algorithms,
                            Matmul::FindAlgorithms(library, handle, matmul, kMaxMatmulAlgorithms));
    if (algorithms.size() < 2) return std::string();
    const kernels::MatmulEpilogue& epilogue = matmul.epilogue;
    const bool is_in_place = epilogue.addend == matmul.out;
    Matmul::DeviceAddresses addresses;
    std::vector<BlockRequest> wanted = {
        {&addresses.lhs, matmul.lhs.size_bytes},
        {&addresses.rhs, matmul.rhs.size_bytes},
        {&addresses.out, matmul.out.size_bytes},
        {&addresses.workspace, static_cast<int64_t>(Matmul::kMaxWorkspaceBytes)}};
    if (epilogue.has_bias) wanted.push_back({&addresses.bias, epilogue.bias.size_bytes});
    if (epilogue.has_addend() && !is_in_place) {
      wanted.push_back({&addresses.addend, epilogue.addend.size_bytes});
    }
    ACCELD_ASSIGN_OR_RETURN(const Blocks blocks, Allocate(wanted));
    if (is_in_place) addresses.addend = addresses.out;
    return FastestOf(matmul, algorithms, [&](const MatmulStep& candidate) -> absl::StatusOr<float> {
      ACCELD_ASSIGN_OR_RETURN(const auto prepared, Matmul::Prepare(library, handle, candidate));
      return stopwatch_.Measure(
          [&](hal::cuda::CuStream stream) { return prepared->Enqueue(addresses, stream); });
    });
  }

  absl::StatusOr<std::string> FastestOf(const ConvolutionStep& convolution) {
    hal::cuda::DeviceConvolutions& convolutions = libraries_.convolutions();
    ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> algorithms,
                            convolutions.FindAlgorithms(convolution));
    if (algorithms.size() < 2) return std::string();
    CudnnConvolution::DeviceAddresses addresses;
    ACCELD_ASSIGN_OR_RETURN(const Blocks blocks,
                            Allocate({{&addresses.lhs, convolution.lhs.size_bytes},
                                      {&addresses.rhs, convolution.rhs.size_bytes},
                                      {&addresses.out, convolution.out.size_bytes}}));
    if (cudnn_ == nullptr) {
      cudnn_ = std::make_unique<kernels::cuda::CudnnHandle>(*convolutions.library(),
                                                            stopwatch_.stream());
    }
    ACCELD_ASSIGN_OR_RETURN(const kernels::cuda::Cudnn::Handle handle, cudnn_->Get());
    return FastestOf(
        convolution, algorithms, [&](const ConvolutionStep& candidate) -> absl::StatusOr<float> {
          ACCELD_ASSIGN_OR_RETURN(const auto prepared, convolutions.Prepare(candidate));
          ACCELD_ASSIGN_OR_RETURN(const Blocks workspace,
                                  Allocate({{&addresses.workspace,
                                             static_cast<int64_t>(prepared->workspace_bytes())}}));
          return stopwatch_.Measure(
              [&](hal::cuda::CuStream /*stream*/) { return prepared->Enqueue(addresses, handle); });
        });
  }

  // Returns the fastest one of `algorithms` for the call `candidate`, or an empty name if none
  // could be measured. `measure` returns the milliseconds that a call with a given algorithm takes.
  template <typename Call, typename Measure>
  std::string FastestOf(Call candidate, const std::vector<std::string>& algorithms,
                        const Measure& measure) const {
    std::string fastest;
    float best = 0;
    for (const std::string& algorithm : algorithms) {
      if (IsOutOfTime()) break;
      candidate.algorithm = algorithm;
      const absl::StatusOr<float> milliseconds = measure(candidate);
      if (!milliseconds.ok()) continue;
      if (fastest.empty() || *milliseconds < kMaxTimeRatio * best) {
        fastest = algorithm;
        best = *milliseconds;
      }
    }
    return fastest;
  }

  // Allocates memory, whose contents are uninitialized, and stores the addresses in `requests`.
  // Returns RESOURCE_EXHAUSTED when so little memory is free that other programs might run short of
  // it.
  absl::StatusOr<Blocks> Allocate(const std::vector<BlockRequest>& requests) const {
    int64_t size_bytes = 0;
    for (const BlockRequest& request : requests) size_bytes += request.size_bytes;
    const hal::MemoryStats stats = memory_.stats();
    if (size_bytes > (stats.limit_bytes - stats.used_bytes) / kFreeMemoryDivisor) {
      return absl::ResourceExhaustedError("no memory to measure algorithms in");
    }
    Blocks blocks;
    for (const BlockRequest& request : requests) {
      ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<hal::Buffer> block,
                              memory_.Allocate(request.size_bytes));
      *request.address = reinterpret_cast<uint64_t>(block->address());
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  bool IsOutOfTime() const { return std::chrono::steady_clock::now() - begin_ > kMaxTime; }

  hal::cuda::Context& context_;
  const hal::cuda::Libraries& libraries_;
  hal::MemoryPool& memory_;
  hal::cuda::Stopwatch& stopwatch_;
  std::unique_ptr<kernels::cuda::CudnnHandle> cudnn_;  // created for the first convolution
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

void AlgorithmTuner::ChooseAlgorithms(kernels::cuda::CudaProgram& program) const {
  Calls calls;
  calls.CollectFrom(program.steps);
  if (calls.matmuls.empty() && calls.convolutions.empty()) return;
  MutexLock lock(measuring_);
  hal::cuda::Stopwatch stopwatch(*context_);
  if (!stopwatch.Start().ok()) return;
  Measurement measurement(*context_, *libraries_, *memory_, stopwatch);
  measurement.ChooseFor(calls.matmuls);
  measurement.ChooseFor(calls.convolutions);
  program.measured_on = libraries_->measured_on();
}

}  // namespace acceld::codegen::cuda
