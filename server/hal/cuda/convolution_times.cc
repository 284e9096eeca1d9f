#include "server/hal/cuda/convolution_times.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "server/hal/cuda/stopwatch.h"

namespace acceld::hal::cuda {
namespace {

using kernels::ConvolutionStep;
using kernels::cuda::CudnnConvolution;

// Multiplications. Smaller convolutions take less time than their launch, larger ones so long that
// others would wait.
constexpr double kMinWork = int64_t{1} << 24, kMaxWork = int64_t{1} << 42;
constexpr std::chrono::milliseconds kMaxTime{2000};
// Below this part of the best time so far an algorithm is faster, and not by chance.
constexpr float kGain = 0.97f;
// Of the memory that nobody uses.
constexpr int64_t kMaxMemoryShare = 4;

bool IsWorthMeasuring(const ConvolutionStep& convolution) {
  const kernels::ConvolutionShape& shape = convolution.shape;
  const double work = static_cast<double>(shape.groups * shape.num_places()) *
                      static_cast<double>(shape.num_cells() * shape.features) *
                      static_cast<double>(shape.outputs);
  return work >= kMinWork && work <= kMaxWork;
}

bool HasWorthMeasuring(const kernels::Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const kernels::Step& step) {
    if (const auto* convolution = std::get_if<ConvolutionStep>(&step.value)) {
      return IsWorthMeasuring(*convolution);
    }
    if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      return HasWorthMeasuring(loop->condition) || HasWorthMeasuring(loop->body);
    }
    const auto* choice = std::get_if<kernels::SwitchStep>(&step.value);
    return choice != nullptr &&
           std::any_of(choice->branches.begin(), choice->branches.end(), HasWorthMeasuring);
  });
}

}  // namespace

// The measurements for one program.
class ConvolutionTimes::Measurement {
 public:
  explicit Measurement(const ConvolutionTimes& times)
      : times_(times), convolutions_(times.libraries_->convolutions()) {}

  // The fastest algorithm; empty where the heuristics are to choose.
  std::string FastestOf(const ConvolutionStep& convolution) {
    for (const ConvolutionStep& measured : measured_) {
      if (measured.shape == convolution.shape && measured.input_dtype == convolution.input_dtype) {
        return measured.algorithm;
      }
    }
    absl::StatusOr<std::string> fastest = Measure(convolution);
    // Nothing is lost: a device that does not work says so when the program runs.
    measured_.push_back(convolution);
    measured_.back().algorithm = fastest.ok() ? *std::move(fastest) : "";
    return measured_.back().algorithm;
  }

 private:
  absl::StatusOr<std::string> Measure(const ConvolutionStep& convolution) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> algorithms,
                            convolutions_.FindAlgorithms(convolution));
    if (algorithms.size() < 2 || IsOver()) return std::string();
    std::vector<std::shared_ptr<Buffer>> memory;
    CudnnConvolution::Places places;
    for (const auto& [place, bytes] : {std::pair(&places.lhs, convolution.lhs.size_bytes),
                                       std::pair(&places.rhs, convolution.rhs.size_bytes),
                                       std::pair(&places.out, convolution.out.size_bytes)}) {
      ACCELD_RETURN_IF_ERROR(Allocate(bytes, *place, memory));
    }
    Stopwatch stopwatch(*times_.context_);
    ACCELD_RETURN_IF_ERROR(stopwatch.Start());
    kernels::cuda::CudnnHandle own(*convolutions_.library(), stopwatch.stream());
    ACCELD_ASSIGN_OR_RETURN(const kernels::cuda::Cudnn::Handle handle, own.Get());
    std::string fastest;
    float best = 0;
    int64_t workspace_bytes = 0;
    for (const std::string& algorithm : algorithms) {
      if (IsOver()) break;
      ConvolutionStep candidate = convolution;
      candidate.algorithm = algorithm;
      const auto prepared = convolutions_.Prepare(candidate);
      if (!prepared.ok()) continue;
      const auto wanted = static_cast<int64_t>((*prepared)->workspace_bytes());
      if (wanted > workspace_bytes && !Allocate(wanted, places.workspace, memory).ok()) continue;
      workspace_bytes = std::max(workspace_bytes, wanted);
      const absl::StatusOr<float> milliseconds = stopwatch.Measure(
          [&](CuStream /*stream*/) { return (*prepared)->Enqueue(places, handle); });
      if (!milliseconds.ok()) continue;
      if (fastest.empty() || *milliseconds < kGain * best) {
        fastest = algorithm;
        best = *milliseconds;
      }
    }
    return fastest;
  }

  // Undefined as it is. RESOURCE_EXHAUSTED where others might miss it.
  absl::Status Allocate(int64_t size_bytes, uint64_t& place,
                        std::vector<std::shared_ptr<Buffer>>& memory) {
    if (size_bytes == 0) return absl::OkStatus();
    const MemoryStats stats = times_.memory_->stats();
    if (size_bytes > (stats.limit_bytes - stats.used_bytes) / kMaxMemoryShare) {
      return absl::ResourceExhaustedError("no memory to measure convolutions in");
    }
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, times_.memory_->Allocate(size_bytes));
    place = reinterpret_cast<uint64_t>(buffer->address());
    memory.push_back(std::move(buffer));
    return absl::OkStatus();
  }

  bool IsOver() const { return std::chrono::steady_clock::now() - begin_ > kMaxTime; }

  const ConvolutionTimes& times_;
  DeviceConvolutions& convolutions_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<ConvolutionStep> measured_;
};

void ConvolutionTimes::ChooseAlgorithms(kernels::cuda::CudaProgram& program) const {
  if (!HasWorthMeasuring(program.steps)) return;
  MutexLock lock(measuring_);
  Measurement measurement(*this);
  ChooseIn(program.steps, measurement);
  program.measured_on = libraries_->measured_on();
}

void ConvolutionTimes::ChooseIn(kernels::Steps& steps, Measurement& measurement) {
  for (kernels::Step& step : steps) {
    if (auto* const convolution = std::get_if<ConvolutionStep>(&step.value)) {
      if (IsWorthMeasuring(*convolution)) {
        convolution->algorithm = measurement.FastestOf(*convolution);
      }
    } else if (auto* const loop = std::get_if<kernels::WhileStep>(&step.value)) {
      ChooseIn(loop->condition, measurement);
      ChooseIn(loop->body, measurement);
    } else if (auto* const choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (kernels::Steps& branch : choice->branches) ChooseIn(branch, measurement);
    }
  }
}

}  // namespace acceld::hal::cuda
