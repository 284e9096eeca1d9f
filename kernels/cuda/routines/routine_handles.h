#pragma once

#include "common/status.h"
#include "kernels/cuda/cublas/cublas.h"
#include "kernels/cuda/cufft/cufft.h"
#include "kernels/cuda/cusolver/cusolver.h"

namespace acceld::kernels::cuda {

// The libraries that compute routines; nullptr for one that could not be loaded. The libraries must
// outlive all objects that use them.
struct RoutineLibraries {
  const Cublas* cublas = nullptr;
  const Cufft* cufft = nullptr;
  const Cusolver* cusolver = nullptr;
};

// The libraries' handles for routines on one stream. Each handle is created on its first use, which
// takes up to a second and some device memory. Thread-compatible. The threads that use and destroy
// the object must have the stream's device current; nothing that was enqueued with the handles may
// be running when it is destroyed.
class RoutineHandles {
 public:
  RoutineHandles(const RoutineLibraries& libraries, void* stream)
      : libraries_(libraries), stream_(stream) {}
  ~RoutineHandles();
  RoutineHandles(const RoutineHandles&) = delete;
  RoutineHandles& operator=(const RoutineHandles&) = delete;

  void* stream() const { return stream_; }
  // Creates all handles in advance. Failures are ignored; the first use of a handle tries again.
  void MakeAll();
  // Return the handle. The library must not be nullptr. Errors are those of the library.
  absl::StatusOr<Cublas::Handle> cublas();
  absl::StatusOr<Cusolver::Handle> cusolver();

 private:
  const RoutineLibraries libraries_;
  void* const stream_;
  Cublas::Handle cublas_ = nullptr;
  Cusolver::Handle cusolver_ = nullptr;
};

}  // namespace acceld::kernels::cuda
