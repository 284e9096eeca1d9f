#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/cublas/cublas_lt.h"
#include "server/hal/cuda/context.h"

namespace acceld::hal::cuda {

// The libraries that one device uses, opened for it. Shared by its modules. Thread-safe.
class Libraries {
 public:
  // `cublas_lt`, which outlives it, may be nullptr: there is none.
  static absl::StatusOr<std::shared_ptr<const Libraries>> Open(
      std::shared_ptr<Context> context, const kernels::cuda::CublasLt* cublas_lt);
  ~Libraries();
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

  const kernels::cuda::CublasLt* cublas_lt() const { return cublas_lt_; }
  kernels::cuda::CublasLt::Handle cublas_lt_handle() const { return handle_; }
  // "13.1.0"; empty without it.
  const std::string& cublas_lt_version() const { return cublas_lt_version_; }

 private:
  Libraries(std::shared_ptr<Context> context, const kernels::cuda::CublasLt* cublas_lt)
      : context_(std::move(context)), cublas_lt_(cublas_lt) {}

  const std::shared_ptr<Context> context_;
  const kernels::cuda::CublasLt* const cublas_lt_;
  kernels::cuda::CublasLt::Handle handle_ = nullptr;
  std::string cublas_lt_version_;
};

}  // namespace acceld::hal::cuda
