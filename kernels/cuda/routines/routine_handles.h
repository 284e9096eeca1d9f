#pragma once

#include "common/status.h"
#include "kernels/cuda/cublas/cublas.h"
#include "kernels/cuda/cufft/cufft.h"
#include "kernels/cuda/cusolver/cusolver.h"

namespace acceld::kernels::cuda {

// The libraries of routines, which outlive what uses them; nullptr for one that is not there.
struct RoutineLibraries {
  const Cublas* cublas = nullptr;
  const Cufft* cufft = nullptr;
  const Cusolver* cusolver = nullptr;
};

// What routines on one stream call libraries with: handles are made when they are first asked for,
// which takes up to a second and some of the device's memory. For one thread at a time, which works
// on the stream's device; so does the one that destroys it, when nothing of it runs any more.
class RoutineHandles {
 public:
  RoutineHandles(const RoutineLibraries& libraries, void* stream)
      : libraries_(libraries), stream_(stream) {}
  ~RoutineHandles();
  RoutineHandles(const RoutineHandles&) = delete;
  RoutineHandles& operator=(const RoutineHandles&) = delete;

  void* stream() const { return stream_; }
  // Makes all that there can be, so that it takes no time later. What fails is tried again then.
  void MakeAll();
  // Only of libraries that are there. What the library says against it.
  absl::StatusOr<Cublas::Handle> cublas();
  absl::StatusOr<Cusolver::Handle> cusolver();

 private:
  const RoutineLibraries libraries_;
  void* const stream_;
  Cublas::Handle cublas_ = nullptr;
  Cusolver::Handle cusolver_ = nullptr;
};

}  // namespace acceld::kernels::cuda
