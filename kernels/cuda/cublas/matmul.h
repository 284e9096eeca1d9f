#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/threads/mutex.h"
#include "kernels/cuda/cublas/cublas_lt.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cuda {

// Whether cuBLASLt may run this product: its element types, sizes, strides and epilogue. What it
// has no way for on one device or another only Matmul::Prepare says. The places of operands are not
// looked at.
bool CanMatmul(const MatmulStep& matmul);

// A matrix product prepared for one device, on which the preparing thread works: what the library
// is told of it, and the algorithm that the step names or else its heuristics choose. f32 is
// computed in full precision unless TF32 is allowed, narrower floats with f32 sums. Any thread
// may enqueue it.
class Matmul {
 public:
  // The most workspace that an algorithm may want; what NVIDIA advises for large GPUs.
  static constexpr size_t kMaxWorkspaceBytes = size_t{32} << 20;

  // Of the names of algorithms: a cublasLtMatmulAlgo_t.
  static constexpr size_t kAlgorithmBytes = sizeof(CublasLt::Algorithm);

  // At most so many algorithms for the product, by the heuristics' order, as MatmulStep::algorithm
  // names them. INTERNAL when there is none.
  static absl::StatusOr<std::vector<std::string>> FindAlgorithms(const CublasLt& library,
                                                                 CublasLt::Handle handle,
                                                                 const MatmulStep& matmul,
                                                                 int max_algorithms);

  // An algorithm that is named but does not fit here is left to the heuristics. `matmul` is one
  // that CanMatmul; library and handle outlive it. INTERNAL when the library has no way to compute
  // it.
  static absl::StatusOr<std::unique_ptr<const Matmul>> Prepare(const CublasLt& library,
                                                               CublasLt::Handle handle,
                                                               const MatmulStep& matmul);
  ~Matmul();
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  size_t workspace_bytes() const { return workspace_bytes_; }

  // Addresses of the device, aligned to kBufferAlignment. Those that the epilogue has not are not
  // looked at; nothing else uses the workspace at the same time.
  struct Places {
    uint64_t lhs = 0, rhs = 0, out = 0;
    uint64_t bias = 0, addend = 0;
    uint64_t workspace = 0;
    friend bool operator==(const Places&, const Places&) = default;
  };
  absl::Status Enqueue(const Places& source_locations, CublasLt::Stream stream) const;

 private:
  Matmul(const CublasLt& library, CublasLt::Handle handle) : library_(library), handle_(handle) {}

  absl::Status Describe(const MatmulStep& matmul);
  template <typename Value>
  absl::Status SetAttribute(int attribute, const Value& value) const;
  absl::Status DescribeMatrix(int type, uint64_t rows, uint64_t columns, int64_t leading,
                              int64_t batch, int64_t batch_stride, CublasLt::Layout& layout);
  absl::Status ChooseAlgorithm(const std::string& chosen);
  absl::StatusOr<std::vector<CublasLt::Heuristic>> AskHeuristics(int wanted) const;

  const CublasLt& library_;
  const CublasLt::Handle handle_;
  // Of what operation_ says: it names the bias, which another run may have elsewhere.
  mutable Mutex operation_mutex_;
  CublasLt::Operation operation_ = nullptr;
  // By the library's names: the product of matrices in columns, transposed, is that of the other
  // order in rows.
  CublasLt::Layout a_ = nullptr, b_ = nullptr, d_ = nullptr;
  CublasLt::Algorithm algorithm_{};
  size_t workspace_bytes_ = 0;
  int scale_type_ = 0;  // cudaDataType_t of what scales sums
  bool has_bias_ = false, has_addend_ = false;
  double alpha_ = 1, beta_ = 0;
};

}  // namespace acceld::kernels::cuda
