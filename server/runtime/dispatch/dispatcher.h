#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "server/hal/device.h"
#include "server/hal/host_calls.h"
#include "server/observability/instruments/execution_instruments.h"
#include "server/observability/instruments/trace_ring.h"
#include "server/runtime/array.h"
#include "server/runtime/dispatch/copy_trace.h"
#include "server/runtime/memory/memory_broker.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// Gives tasks to the streams of a device: gets memory for their outputs and temporary data, brings
// their inputs to the device, orders streams that read what others write, and launches.
//
// Donated inputs belong to the execution once it is launched. If nobody else reads such an input,
// and it is on this device, its memory is reused for a result where the executable allows that
// (Executable::may_share); all other results get new memory. Before the launch nothing is taken: a
// task that is cancelled or fails until then returns its donated inputs.
//
// Thread-safe, but one thread at a time may give work to a stream, and dispatch a task. Does not
// take the executor's mutex while it holds a lock, and never holds one across a call to the device.
class Dispatcher {
 public:
  struct Options {
    observability::TraceRing* trace = nullptr;  // of copies and collectives; may be nullptr
    MemoryBroker::Options memory;
  };
  // The number of express streams.
  static constexpr int kBypassStreams = 4;

  // `device`, number `index` of the engine, and the rest must outlive the dispatcher.
  Dispatcher(hal::Device& device, int index, WorkInFlight& work,
             observability::ExecutionInstruments& instruments, const Options& options);
  // Waits for copies in progress.
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Gives a task that the scheduler has taken to its stream: the outputs become scheduled, except
  // those of an execution with host calls, which `host_calls` must be given for. Returns an event
  // for the end of the work. On failure nothing has happened; if Task::wants_memory_ is set then,
  // the task can be dispatched later.
  absl::StatusOr<Event> Dispatch(const std::shared_ptr<Task>& task,
                                 std::shared_ptr<hal::HostCalls> host_calls);
  // Makes the outputs of a run with host calls scheduled, when the run has ended.
  void SchedulePending(Task& task);
  // Records a copy to the device that has ended.
  void TraceUpload(const Task& task, const absl::Status& status) {
    upload_trace_.Add(task.session, task.dispatched_at_, status);
  }

  // See DeviceExecutor.
  void Download(std::shared_ptr<const Array> array,
                std::function<void(absl::StatusOr<SharedBytes>)> done, uint64_t session);

  MemoryBroker& memory() { return memory_; }
  const MemoryBroker& memory() const { return memory_; }

 private:
  absl::StatusOr<Event> DispatchExecution(const std::shared_ptr<Task>& task, Execution& execution,
                                          std::shared_ptr<hal::HostCalls> host_calls);
  absl::StatusOr<Event> DispatchUpload(Task& task, Upload& upload);
  // Returns the memory of the outputs, with donors for those that are to reuse the memory of
  // inputs. The inputs must have been brought to the device, which keeps them there.
  OutputMemories FindDonors(const Task& task, const Execution& execution) const;
  // Gives an output the memory of its donor, `buffer`.
  void TakeOver(Array& output, OutputMemory& memory, std::shared_ptr<hal::Buffer> buffer);
  // Returns the stream on which an execution that was taken runs.
  hal::Stream& StreamOf(const Task& execution) const;

  // Inputs: inputs.cc.
  //
  // Returns memory of this device that will have the bytes of `input` when a launch enqueued now
  // begins.
  absl::StatusOr<std::shared_ptr<hal::Buffer>> BringInput(Task& task, Array& input);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> BringFromPeer(Task& task, Array& input,
                                                             const Array::View& view);
  absl::StatusOr<std::shared_ptr<hal::Buffer>> RestoreInput(Task& task, Array& input,
                                                            const Array::View& view);

  const int index_;
  observability::ExecutionInstruments& instruments_;
  observability::TraceRing* const trace_;
  std::vector<std::unique_ptr<hal::Stream>> bypass_;  // the express streams
  std::unique_ptr<hal::Stream> upload_, download_;
  CopyTrace upload_trace_, download_trace_;
  MemoryBroker memory_;
};

}  // namespace acceld::runtime
