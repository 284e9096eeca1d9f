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

// Whether cuBLASLt supports the product's element types, sizes, strides and epilogue. Whether it
// has an algorithm for it on a certain device is found out by Matmul::Prepare. The slices of the
// operands are not checked.
bool CanMatmul(const MatmulStep& matmul);

// A matrix product prepared for one device: cuBLASLt's descriptors of it, and the algorithm. The
// product of f32 is computed in full precision unless TF32 is allowed; narrower floats are summed
// in f32. Thread-safe once prepared. The library and the handle must outlive it.
class Matmul {
 public:
  // The most workspace that an algorithm may need; NVIDIA recommends this size for large GPUs.
  static constexpr size_t kMaxWorkspaceBytes = size_t{32} << 20;

  // The size of MatmulStep::algorithm, which has the bytes of a cublasLtMatmulAlgo_t.
  static constexpr size_t kAlgorithmBytes = sizeof(CublasLt::Algorithm);

  // Returns up to `max_algorithms` algorithms for the product, in the order of the library's
  // heuristics, as values for MatmulStep::algorithm. Returns INTERNAL if there is none, or if
  // CanMatmul is false.
  static absl::StatusOr<std::vector<std::string>> FindAlgorithms(const CublasLt& library,
                                                                 CublasLt::Handle handle,
                                                                 const MatmulStep& matmul,
                                                                 int max_algorithms);

  // Prepares a product for which CanMatmul is true, for the calling thread's current device. Uses
  // matmul.algorithm if the library accepts it on this device, else the first algorithm of its
  // heuristics. Returns INTERNAL if the library has no algorithm.
  static absl::StatusOr<std::unique_ptr<const Matmul>> Prepare(const CublasLt& library,
                                                               CublasLt::Handle handle,
                                                               const MatmulStep& matmul);
  ~Matmul();
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  size_t workspace_bytes() const { return workspace_bytes_; }

  // Device addresses of the operands, aligned to kBufferAlignment. `bias` and `addend` are used
  // only if the epilogue has them. The workspace, of workspace_bytes(), must not be in use
  // otherwise while the product runs.
  struct DeviceAddresses {
    uint64_t lhs = 0, rhs = 0, out = 0;
    uint64_t bias = 0, addend = 0;
    uint64_t workspace = 0;
    friend bool operator==(const DeviceAddresses&, const DeviceAddresses&) = default;
  };
  absl::Status Enqueue(const DeviceAddresses& addresses, CublasLt::Stream stream) const;

 private:
  Matmul(const CublasLt& library, CublasLt::Handle handle) : library_(library), handle_(handle) {}

  absl::Status Describe(const MatmulStep& matmul);
  template <typename Value>
  absl::Status SetAttribute(int attribute, const Value& value) const;
  absl::Status DescribeMatrix(int type, uint64_t rows, uint64_t columns, int64_t leading,
                              int64_t batch, int64_t batch_stride, CublasLt::Layout& layout);
  absl::Status ChooseAlgorithm(const std::string& chosen);
  absl::StatusOr<std::vector<CublasLt::Heuristic>> QueryHeuristics(int wanted) const;

  const CublasLt& library_;
  const CublasLt::Handle handle_;
  // Protects `operation_`, which contains the address of the bias; concurrent runs may have
  // different addresses.
  mutable Mutex operation_mutex_;
  CublasLt::Operation operation_ = nullptr;
  // The library computes D = A B on column-major matrices. The step's row-major matrices are their
  // transposes, so A is rhs, B is lhs and D is out.
  CublasLt::Layout a_ = nullptr, b_ = nullptr, d_ = nullptr;
  CublasLt::Algorithm algorithm_{};
  size_t workspace_bytes_ = 0;
  int scale_type_ = 0;  // the cudaDataType_t of alpha and beta
  bool has_bias_ = false, has_addend_ = false;
  double alpha_ = 1, beta_ = 0;
};

}  // namespace acceld::kernels::cuda
