#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "kernels/cuda/routines/prepare.h"

// Fft (StableHLO specification, "fft") with cuFFT. cuFFT orders elements and represents half
// spectra as StableHLO does, but does not divide the result of inverse transforms by their size.
namespace acceld::kernels::cuda {
namespace {

enum Kind : int64_t { kForwardKind, kInverseKind, kRealToComplex, kComplexToReal };

// Values of cufft.h and library_types.h.
constexpr int kForward = -1, kInverse = 1;
constexpr int kRealFloat = 0, kRealDouble = 1, kComplexFloat = 4, kComplexDouble = 5;

// An estimate of the device memory of a plan, without its tables of roots of unity.
constexpr int64_t kPlanBytes = int64_t{256} << 10;

// A cuFFT plan. Its stream and workspace are set for each run. Thread-safe.
class Plan {
 public:
  static absl::StatusOr<std::shared_ptr<Plan>> Make(const Cufft& library, const RoutineCall& call) {
    const int64_t kind = call.parameters[0], rank = call.parameters[1];
    const ir::TensorType& from = call.operands[0];
    const ir::TensorType& to = call.results[0];
    const bool is_double = ir::RealPartOf(from.dtype) == ir::DType::kF64;
    const int complex_type = is_double ? kComplexDouble : kComplexFloat;
    const int real_type = is_double ? kRealDouble : kRealFloat;
    // The sizes of the transform are those of the values; a half spectrum is smaller in the last
    // dimension.
    const ir::Dims& dims = kind == kComplexToReal ? to.dims : from.dims;
    std::vector<Cufft::Size> sizes(dims.end() - rank, dims.end());
    const auto distance_of = [&](const ir::TensorType& type) {
      Cufft::Size distance = 1;
      for (auto it = type.dims.end() - rank; it != type.dims.end(); ++it) distance *= *it;
      return distance;
    };
    const Cufft::Size from_distance = distance_of(from), to_distance = distance_of(to);

    std::shared_ptr<Plan> made(new Plan(library));
    ACCELD_RETURN_IF_ERROR(Cufft::Check(library.cufftCreate(&made->plan_), "cufftCreate"));
    made->is_made_ = true;
    ACCELD_RETURN_IF_ERROR(
        Cufft::Check(library.cufftSetAutoAllocation(made->plan_, 0), "cufftSetAutoAllocation"));
    ACCELD_RETURN_IF_ERROR(Cufft::Check(
        library.cufftXtMakePlanMany(
            made->plan_, static_cast<int>(rank), sizes.data(), nullptr, 1, from_distance,
            kind == kRealToComplex ? real_type : complex_type, nullptr, 1, to_distance,
            kind == kComplexToReal ? real_type : complex_type, from.num_elements() / from_distance,
            &made->workspace_bytes_, complex_type),
        "cufftXtMakePlanMany"));
    return made;
  }

  ~Plan() {
    if (is_made_) (void)library_.cufftDestroy(plan_);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  int64_t workspace_bytes() const { return static_cast<int64_t>(workspace_bytes_); }

  absl::Status Enqueue(uint64_t from, uint64_t to, int direction, uint64_t workspace,
                       void* stream) {
    MutexLock lock(mutex_);
    ACCELD_RETURN_IF_ERROR(Cufft::Check(library_.cufftSetStream(plan_, stream), "cufftSetStream"));
    ACCELD_RETURN_IF_ERROR(
        Cufft::Check(library_.cufftSetWorkArea(plan_, PointerTo(workspace)), "cufftSetWorkArea"));
    return Cufft::Check(library_.cufftXtExec(plan_, PointerTo(from), PointerTo(to), direction),
                        "cufftXtExec");
  }

 private:
  explicit Plan(const Cufft& library) : library_(library) {}

  const Cufft& library_;
  Mutex mutex_;  // protects the stream and the workspace, which are state of the plan
  Cufft::Plan plan_ = 0;
  bool is_made_ = false;
  size_t workspace_bytes_ = 0;
};

}  // namespace

absl::StatusOr<DeviceRoutine> PrepareFft(const RoutineCall& call, const RoutineContext& context) {
  if (context.libraries.cufft == nullptr) return NoLibrary("cuFFT");
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<Plan> plan,
                          Plan::Make(*context.libraries.cufft, call));
  const int64_t kind = call.parameters[0], rank = call.parameters[1];
  const bool is_double = ir::RealPartOf(call.operands[0].dtype) == ir::DType::kF64;
  const bool inverse = kind == kInverseKind || kind == kComplexToReal;
  // The sizes of one transform, padded with 1 to three dimensions, and the number of its elements.
  const ir::TensorType& values = kind == kComplexToReal ? call.results[0] : call.operands[0];
  int64_t sizes[3] = {1, 1, 1}, elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    sizes[2 - i] = values.dims[values.dims.size() - 1 - static_cast<size_t>(i)];
    elements *= sizes[2 - i];
  }
  const int64_t batch = values.num_elements() / elements;
  const int64_t reals = call.results[0].num_elements() * (kind == kComplexToReal ? 1 : 2);

  WorkspaceLayout layout;
  const int64_t work = layout.Add(plan->workspace_bytes());
  // A complex-to-real transform overwrites its input, which must be Hermitian, so it gets a copy.
  const int64_t spectrum = layout.Add(kind == kComplexToReal ? call.operands[0].size_bytes() : 0);
  return DeviceRoutine{
      .workspace_bytes = layout.size_bytes(),
      .uses_handles = false,
      .device_bytes = kPlanBytes + 16 * (sizes[0] + sizes[1] + sizes[2]),
      .enqueue = [=, first = sizes[0], second = sizes[1], length = sizes[2],
                  launch = &context.launch](const RoutineBuffers& buffers) -> absl::Status {
        const RoutineKernels kernels(*launch, buffers.handles->stream());
        const uint64_t to = buffers.results[0];
        uint64_t from = buffers.operands[0];
        if (kind == kComplexToReal) {
          ACCELD_RETURN_IF_ERROR(kernels.FoldSpectrum(Offset(buffers.workspace, spectrum), from,
                                                      batch, first, second, length, is_double));
          from = Offset(buffers.workspace, spectrum);
        }
        ACCELD_RETURN_IF_ERROR(plan->Enqueue(from, to, inverse ? kInverse : kForward,
                                             Offset(buffers.workspace, work),
                                             buffers.handles->stream()));
        return inverse ? kernels.Divide(to, reals, elements, is_double) : absl::OkStatus();
      }};
}

}  // namespace acceld::kernels::cuda
