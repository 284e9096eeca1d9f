#include "server/hal/cuda/device_matmuls.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/cublas/matmul.h"
#include "server/hal/cuda/stopwatch.h"

namespace acceld::hal::cuda {
namespace {

using kernels::MatmulStep;
using kernels::cuda::Matmul;

// Multiplications. Smaller products take less time than their launch.
constexpr double kMinWork = int64_t{1} << 24;
// Larger ones take so long that others would wait, and there the heuristics are at their best; of
// f64 and complex numbers, in which some GPUs are slow, sooner.
constexpr double kMaxWork = int64_t{1} << 42, kMaxSlowWork = int64_t{1} << 34;
constexpr int kMaxAlgorithms = 8;
constexpr std::chrono::milliseconds kMaxTime{500};
// Below this part of the best time so far an algorithm is faster, and not by chance.
constexpr float kGain = 0.97f;
// Of the memory that nobody uses.
constexpr int64_t kMaxMemoryShare = 4;

bool IsWorthMeasuring(const MatmulStep& matmul) {
  double work = 1;
  for (const int64_t size : {matmul.batch, matmul.m, matmul.n, matmul.k}) {
    work *= static_cast<double>(size);
  }
  const bool is_slow = ir::BitsOf(matmul.input_dtype) > 32;
  return work >= kMinWork && work <= (is_slow ? kMaxSlowWork : kMaxWork);
}

bool HasWorthMeasuring(const kernels::Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const kernels::Step& step) {
    if (const auto* matmul = std::get_if<MatmulStep>(&step.value)) return IsWorthMeasuring(*matmul);
    if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      return HasWorthMeasuring(loop->condition) || HasWorthMeasuring(loop->body);
    }
    const auto* choice = std::get_if<kernels::SwitchStep>(&step.value);
    return choice != nullptr &&
           std::any_of(choice->branches.begin(), choice->branches.end(), HasWorthMeasuring);
  });
}

// Whether they differ in nothing but their places.
bool AreAlike(const MatmulStep& a, const MatmulStep& b) {
  const auto shape = [](const MatmulStep& m) {
    return std::tuple(m.input_dtype, m.output_dtype, m.batch, m.m, m.n, m.k, m.allow_tf32,
                      m.epilogue.activation, m.epilogue.has_bias, m.epilogue.has_addend(),
                      m.epilogue.addend == m.out);
  };
  return shape(a) == shape(b) && std::equal(a.lhs_strides, a.lhs_strides + 3, b.lhs_strides) &&
         std::equal(a.rhs_strides, a.rhs_strides + 3, b.rhs_strides);
}

}  // namespace

// The measurements for one program.
class DeviceMatmuls::Measurement {
 public:
  explicit Measurement(const DeviceMatmuls& matmuls) : matmuls_(matmuls) {}

  // The fastest algorithm; empty where the heuristics are to choose.
  std::string FastestOf(const MatmulStep& matmul) {
    for (const auto& [measured, algorithm] : measured_) {
      if (AreAlike(measured, matmul)) return algorithm;
    }
    absl::StatusOr<std::string> fastest = Measure(matmul);
    // Nothing is lost: a device that does not work says so when the program runs.
    measured_.emplace_back(matmul, fastest.ok() ? *std::move(fastest) : "");
    return measured_.back().second;
  }

 private:
  absl::StatusOr<std::string> Measure(const MatmulStep& matmul) {
    const kernels::cuda::CublasLt& library = *matmuls_.libraries_->cublas_lt();
    const auto handle = matmuls_.libraries_->cublas_lt_handle();
    ACCELD_RETURN_IF_ERROR(matmuls_.context_->Enter());
    ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> algorithms,
                            Matmul::FindAlgorithms(library, handle, matmul, kMaxAlgorithms));
    if (algorithms.size() < 2 || IsOver()) return std::string();
    std::vector<std::shared_ptr<Buffer>> memory;
    ACCELD_ASSIGN_OR_RETURN(const Matmul::Places places, Allocate(matmul, memory));
    Stopwatch stopwatch(*matmuls_.context_);
    ACCELD_RETURN_IF_ERROR(stopwatch.Start());
    std::string fastest;
    float best = 0;
    for (const std::string& algorithm : algorithms) {
      if (IsOver()) break;
      MatmulStep candidate = matmul;
      candidate.algorithm = algorithm;
      const auto prepared = Matmul::Prepare(library, handle, candidate);
      if (!prepared.ok()) continue;
      const absl::StatusOr<float> milliseconds =
          stopwatch.Measure([&](CuStream stream) { return (*prepared)->Enqueue(places, stream); });
      if (!milliseconds.ok()) continue;
      if (fastest.empty() || *milliseconds < kGain * best) {
        fastest = algorithm;
        best = *milliseconds;
      }
    }
    return fastest;
  }

  // What the product reads and writes, undefined as it is. RESOURCE_EXHAUSTED where others might
  // miss it.
  absl::StatusOr<Matmul::Places> Allocate(const MatmulStep& matmul,
                                          std::vector<std::shared_ptr<Buffer>>& memory) {
    const kernels::MatmulEpilogue& epilogue = matmul.epilogue;
    const bool is_in_place = epilogue.addend == matmul.out;
    Matmul::Places places;
    std::vector<std::pair<uint64_t*, int64_t>> wanted = {
        {&places.lhs, matmul.lhs.size_bytes},
        {&places.rhs, matmul.rhs.size_bytes},
        {&places.out, matmul.out.size_bytes},
        {&places.workspace, static_cast<int64_t>(Matmul::kMaxWorkspaceBytes)}};
    if (epilogue.has_bias) wanted.emplace_back(&places.bias, epilogue.bias.size_bytes);
    if (epilogue.has_addend() && !is_in_place) {
      wanted.emplace_back(&places.addend, epilogue.addend.size_bytes);
    }
    int64_t size_bytes = 0;
    for (const auto& [place, bytes] : wanted) size_bytes += bytes;
    const MemoryStats stats = matmuls_.memory_->stats();
    if (size_bytes > (stats.limit_bytes - stats.used_bytes) / kMaxMemoryShare) {
      return absl::ResourceExhaustedError("no memory to measure products in");
    }
    for (const auto& [place, bytes] : wanted) {
      ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, matmuls_.memory_->Allocate(bytes));
      *place = reinterpret_cast<uint64_t>(buffer->address());
      memory.push_back(std::move(buffer));
    }
    if (is_in_place) places.addend = places.out;
    return places;
  }

  bool IsOver() const { return std::chrono::steady_clock::now() - begin_ > kMaxTime; }

  const DeviceMatmuls& matmuls_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<std::pair<MatmulStep, std::string>> measured_;
};

bool DeviceMatmuls::Supports(const kernels::MatmulStep& matmul) const {
  if (libraries_->cublas_lt() == nullptr || !kernels::cuda::CanMatmul(matmul)) return false;
  // All devices have these.
  if (ir::BitsOf(matmul.input_dtype) > 8 && matmul.epilogue.IsNone()) return true;
  return context_->Enter().ok() &&
         Matmul::FindAlgorithms(*libraries_->cublas_lt(), libraries_->cublas_lt_handle(), matmul, 1)
             .ok();
}

void DeviceMatmuls::ChooseAlgorithms(kernels::cuda::CudaProgram& program) const {
  if (libraries_->cublas_lt() == nullptr || !HasWorthMeasuring(program.steps)) return;
  MutexLock lock(measuring_);
  Measurement measurement(*this);
  ChooseIn(program.steps, measurement);
  program.measured_on = libraries_->measured_on();
}

void DeviceMatmuls::ChooseIn(kernels::Steps& steps, Measurement& measurement) const {
  for (kernels::Step& step : steps) {
    if (auto* const matmul = std::get_if<MatmulStep>(&step.value)) {
      if (IsWorthMeasuring(*matmul)) matmul->algorithm = measurement.FastestOf(*matmul);
    } else if (auto* const loop = std::get_if<kernels::WhileStep>(&step.value)) {
      ChooseIn(loop->condition, measurement);
      ChooseIn(loop->body, measurement);
    } else if (auto* const choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (kernels::Steps& branch : choice->branches) ChooseIn(branch, measurement);
    }
  }
}

}  // namespace acceld::hal::cuda
