#include "server/hal/cuda/graphs/capture.h"

namespace acceld::hal::cuda {

namespace {

constexpr unsigned int kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
// CU_STREAM_CAPTURE_MODE_RELAXED: during the capture, the library may also call functions that are
// not captured, for example to load its code, and other threads may call any function.
constexpr int kRelaxed = 2;

}  // namespace

GraphCapture::~GraphCapture() {
  if (stream_ == nullptr) return;
  context_.EnterForRelease();
  context_.driver().cuStreamDestroy_v2(stream_);
}

absl::StatusOr<CapturedGraph> GraphCapture::Of(
    absl::FunctionRef<absl::Status(CuStream)> enqueue) const {
  const Driver& driver = context_.driver();
  MutexLock lock(mutex_);
  if (stream_ == nullptr) {
    ACCELD_RETURN_IF_ERROR(
        context_.Check(driver.cuStreamCreateWithPriority(&stream_, kNonBlocking, /*priority=*/0),
                       "cuStreamCreateWithPriority"));
  }
  ACCELD_RETURN_IF_ERROR(
      context_.Check(driver.cuStreamBeginCapture_v2(stream_, kRelaxed), "cuStreamBeginCapture"));
  const absl::Status enqueued = enqueue(stream_);
  CuGraph graph = nullptr;
  const absl::Status ended =
      context_.Check(driver.cuStreamEndCapture(stream_, &graph), "cuStreamEndCapture");
  CapturedGraph captured(context_, graph);
  ACCELD_RETURN_IF_ERROR(enqueued);
  ACCELD_RETURN_IF_ERROR(ended);
  return captured;
}

}  // namespace acceld::hal::cuda
