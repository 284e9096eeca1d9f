#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/status.h"
#include "kernels/cuda/cudnn/convolution_form.h"
#include "kernels/cuda/cudnn/cudnn.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// A convolution prepared for one device: what cuDNN is told of it, and the algorithm that the step
// names or else its heuristics choose. Sums are f32 or f64, of the products themselves and in an
// order that is always the same: no atomics, no TF32, and neither Fourier nor Winograd transforms,
// which spread infinities. Any thread may enqueue it.
class CudnnConvolution {
 public:
  // The most workspace that an algorithm may want.
  static constexpr size_t kMaxWorkspaceBytes = size_t{256} << 20;
  // Of the names of algorithms.
  static constexpr size_t kMaxAlgorithmBytes = 16;

  // The algorithms for the convolution, by the heuristics' order, as ConvolutionStep::algorithm
  // names them. UNIMPLEMENTED when there is none.
  static absl::StatusOr<std::vector<std::string>> FindAlgorithms(
      const Cudnn& library, Cudnn::Handle handle, const ConvolutionStep& convolution);

  // An algorithm that is named but does not fit here is left to the heuristics. `convolution` has a
  // CudnnForm with a packed filter; the library outlives it. UNIMPLEMENTED when the library has no
  // way to compute it.
  static absl::StatusOr<std::unique_ptr<const CudnnConvolution>> Prepare(
      const Cudnn& library, Cudnn::Handle handle, const ConvolutionStep& convolution);
  ~CudnnConvolution();
  CudnnConvolution(const CudnnConvolution&) = delete;
  CudnnConvolution& operator=(const CudnnConvolution&) = delete;

  size_t workspace_bytes() const { return algorithm_.workspace_bytes; }

  // Addresses of the device, aligned to kBufferAlignment; nothing else uses the workspace at the
  // same time.
  struct Places {
    uint64_t lhs = 0, rhs = 0, out = 0, workspace = 0;
  };
  // On the handle's stream.
  absl::Status Enqueue(const Places& source_locations, Cudnn::Handle handle) const;

 private:
  explicit CudnnConvolution(const Cudnn& library) : library_(library) {}
  absl::Status Describe(const CudnnForm& form, ir::DType dtype);
  absl::Status DescribeTensor(const CudnnForm& form, int type, bool is_image,
                              Cudnn::Descriptor& tensor) const;
  absl::Status SetMath(int math);
  absl::StatusOr<std::vector<Cudnn::Algorithm>> FindAlgorithms(Cudnn::Handle handle);
  Cudnn::Result AskHeuristics(Cudnn::Handle handle, int wanted, int& count,
                              Cudnn::Algorithm* found) const;
  bool Confirm(Cudnn::Handle handle, Cudnn::Algorithm& algorithm);

  const Cudnn& library_;
  CudnnForm::Function function_ = CudnnForm::Function::kForward;
  bool is_double_ = false, is_float_ = false;  // the elements are f64, f32
  Cudnn::Descriptor image_ = nullptr, filter_ = nullptr, result_ = nullptr, convolution_ = nullptr;
  Cudnn::Algorithm algorithm_{};
};

}  // namespace acceld::kernels::cuda
