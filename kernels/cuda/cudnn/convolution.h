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

// A convolution prepared for one device: cuDNN's descriptors of it, and the algorithm. Only
// algorithms that sum the products themselves in f32 or f64, in a fixed order, are used: none with
// atomics, TF32, Fourier transforms or Winograd transforms (transforms spread infinities).
// Thread-safe once prepared. The library must outlive it.
class CudnnConvolution {
 public:
  // The most workspace that an algorithm may need.
  static constexpr size_t kMaxWorkspaceBytes = size_t{256} << 20;
  // The maximal size of ConvolutionStep::algorithm.
  static constexpr size_t kMaxAlgorithmBytes = 16;

  // Returns the algorithms for the convolution, in the order of cuDNN's heuristics, as values for
  // ConvolutionStep::algorithm. Returns UNIMPLEMENTED if there is none.
  static absl::StatusOr<std::vector<std::string>> FindAlgorithms(
      const Cudnn& library, Cudnn::Handle handle, const ConvolutionStep& convolution);

  // Prepares a convolution that has a CudnnForm with a packed filter. Uses convolution.algorithm if
  // it is among the algorithms for this device, else the first one of the heuristics. Returns
  // UNIMPLEMENTED if cuDNN cannot compute the convolution.
  static absl::StatusOr<std::unique_ptr<const CudnnConvolution>> Prepare(
      const Cudnn& library, Cudnn::Handle handle, const ConvolutionStep& convolution);
  ~CudnnConvolution();
  CudnnConvolution(const CudnnConvolution&) = delete;
  CudnnConvolution& operator=(const CudnnConvolution&) = delete;

  size_t workspace_bytes() const { return algorithm_.workspace_bytes; }

  // Device addresses of the operands, aligned to kBufferAlignment. The workspace, of
  // workspace_bytes(), must not be in use otherwise while the convolution runs.
  struct DeviceAddresses {
    uint64_t lhs = 0, rhs = 0, out = 0, workspace = 0;
  };
  // On the handle's stream.
  absl::Status Enqueue(const DeviceAddresses& addresses, Cudnn::Handle handle) const;

 private:
  explicit CudnnConvolution(const Cudnn& library) : library_(library) {}
  // Creates the descriptors.
  absl::Status Describe(const CudnnForm& form, ir::DType dtype);
  absl::Status DescribeTensor(const CudnnForm& form, int type, bool is_image,
                              Cudnn::Descriptor& tensor) const;
  absl::Status SetMath(int math);
  absl::StatusOr<std::vector<Cudnn::Algorithm>> FindAlgorithms(Cudnn::Handle handle);
  Cudnn::Result QueryHeuristics(Cudnn::Handle handle, int wanted, int& count,
                                Cudnn::Algorithm* found) const;
  bool IsUsable(Cudnn::Handle handle, Cudnn::Algorithm& algorithm);

  const Cudnn& library_;
  CudnnForm::Function function_ = CudnnForm::Function::kForward;
  bool is_double_ = false, is_float_ = false;  // whether the elements are f64 or f32
  Cudnn::Descriptor image_ = nullptr, filter_ = nullptr, result_ = nullptr, convolution_ = nullptr;
  Cudnn::Algorithm algorithm_{};
};

}  // namespace acceld::kernels::cuda
