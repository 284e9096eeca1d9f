#include "server/hal/cuda/streams/stopwatch.h"

namespace acceld::hal::cuda {
namespace {

constexpr int kRuns = 3;
constexpr float kLongMs = 100;  // work that takes longer is measured once

}  // namespace

Stopwatch::~Stopwatch() {
  context_.EnterForRelease();
  if (stream_ != nullptr) driver_.cuStreamSynchronize(stream_);
  for (const CuEvent event : {begin_, end_}) {
    if (event != nullptr) driver_.cuEventDestroy_v2(event);
  }
  if (stream_ != nullptr) driver_.cuStreamDestroy_v2(stream_);
}

absl::Status Stopwatch::Start() {
  constexpr unsigned int kNonBlocking = 1;
  ACCELD_RETURN_IF_ERROR(context_.Enter());
  ACCELD_RETURN_IF_ERROR(context_.Check(
      driver_.cuStreamCreateWithPriority(&stream_, kNonBlocking, 0), "cuStreamCreateWithPriority"));
  ACCELD_RETURN_IF_ERROR(context_.Check(driver_.cuEventCreate(&begin_, 0), "cuEventCreate"));
  return context_.Check(driver_.cuEventCreate(&end_, 0), "cuEventCreate");
}

absl::StatusOr<float> Stopwatch::Measure(
    const std::function<absl::Status(CuStream stream)>& enqueue) {
  const absl::StatusOr<float> first = MeasureRuns(1, enqueue);
  if (first.ok() && *first > kLongMs) return first;
  const absl::StatusOr<float> all = first.ok() ? MeasureRuns(kRuns, enqueue) : first;
  if (all.ok()) return *all / kRuns;
  // Work that was enqueued before the error may still be running.
  driver_.cuStreamSynchronize(stream_);
  return all;
}

absl::StatusOr<float> Stopwatch::MeasureRuns(
    int runs, const std::function<absl::Status(CuStream stream)>& enqueue) {
  ACCELD_RETURN_IF_ERROR(context_.Check(driver_.cuEventRecord(begin_, stream_), "cuEventRecord"));
  for (int i = 0; i < runs; ++i) ACCELD_RETURN_IF_ERROR(enqueue(stream_));
  ACCELD_RETURN_IF_ERROR(context_.Check(driver_.cuEventRecord(end_, stream_), "cuEventRecord"));
  ACCELD_RETURN_IF_ERROR(context_.Check(driver_.cuEventSynchronize(end_), "cuEventSynchronize"));
  float milliseconds = 0;
  ACCELD_RETURN_IF_ERROR(context_.Check(driver_.cuEventElapsedTime(&milliseconds, begin_, end_),
                                        "cuEventElapsedTime"));
  return milliseconds;
}

}  // namespace acceld::hal::cuda
