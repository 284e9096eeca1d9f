#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "common/threads/future.h"
#include "server/hal/executable.h"
#include "server/hal/gang.h"
#include "server/hal/host_calls.h"
#include "server/hal/run_control.h"

// The interface of the devices that programs run on. Work is given to in-order streams: a stream's
// functions enqueue work and return an event, which becomes ready when the work has ended and which
// carries the work's error. All methods are thread-safe unless noted otherwise.
namespace acceld::hal {

// A block of device memory, which is freed when the last reference to it is dropped. Code that
// enqueues work on a buffer must keep a reference until that work has ended.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual int64_t size_bytes() const = 0;
  virtual void* address() const = 0;  // in the device's address space
  // Returns the address at which host code can access the bytes: it may read them once the event of
  // the work that writes the buffer is ready, and write them before any work uses the buffer.
  // Returns nullptr when the host cannot access the memory.
  virtual void* host_address() const = 0;
  // Copies all bytes to host memory at `to`, for devices that cannot access this device's memory.
  // Blocks until the copy has ended. No work may be writing to the buffer meanwhile.
  virtual absl::Status Read(void* to) const = 0;
};

// The code and the constants of one executable, loaded on one device.
class Module {
 public:
  virtual ~Module() = default;
  // The memory of the module in bytes, on the host and on the device.
  virtual int64_t size_bytes() const = 0;
  // The part of size_bytes() that counts as the device's memory. It is freed when the last
  // reference to the module is dropped.
  virtual int64_t device_bytes() const = 0;
};

// Describes one run of a module. Stream::Run keeps all references until the run has ended.
struct Launch {
  std::shared_ptr<const Module> module;
  std::vector<std::shared_ptr<Buffer>> arguments, results;
  std::shared_ptr<Buffer> arena;  // for temporaries; nullptr when the executable needs none
  // Tells the run to end or to pause. nullptr: the run can be neither cancelled nor paused.
  std::shared_ptr<RunControl> control;
  // Answers the host calls of the run. nullptr: host calls fail.
  std::shared_ptr<HostCalls> host;
  // Whether the run is expected to be so short that an idle stream may run it on the thread that
  // calls Stream::Run, before that function returns, or leave it to the gang (Gang::RunInline).
  bool may_run_inline = false;
  // Where the stream stores the duration of a successful run on the device, in nanoseconds, before
  // the run's event becomes ready. Time in which the run paused or waited for host calls does not
  // count. nullptr: the duration is not needed.
  std::shared_ptr<std::atomic<int64_t>> device_ns;
  // Where the stream stores how much of that time the run waited for other participants, which is
  // known for CPU devices only. nullptr: it is not needed.
  std::shared_ptr<std::atomic<int64_t>> waited_ns;
  // The participants of a launch on several devices, of which this run is number `participant`. The
  // stream tells the gang when the run has ended, also if it was cancelled before it began. The run
  // may wait for other participants, so it never runs before Stream::Run returns.
  // nullptr: a launch on one device, whose collectives fail.
  std::shared_ptr<Gang> gang;
  int participant = 0;
  // Called at the end of each collective of the run, by one thread at a time. It must not block.
  // nullptr: nobody wants to know.
  std::function<void(const CollectiveRecord&)> on_collective;
};

// An in-order queue of work on one device. The functions enqueue work and do not wait for it; an
// idle stream may also run short work on the calling thread. The returned events become ready when
// the work has ended, with its error if it failed. Unless the device is lost, a failure does not
// affect work that is enqueued later. Destructors wait for all enqueued work.
class Stream {
 public:
  virtual ~Stream() = default;
  // Makes work that is enqueued later wait until `event` is ready. An error of the event does not
  // fail the stream.
  virtual void Wait(const Event& event) = 0;
  // Enqueues a run of a module.
  virtual Event Run(Launch launch) = 0;
  // Copies `size_bytes` bytes of host memory at `from` to offset `offset_bytes` of `to`. The stream
  // holds `keep_alive`, the owner of the host memory, until the copy has ended. The event fails
  // with INVALID_ARGUMENT when the range does not lie within `to`.
  virtual Event CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                             int64_t offset_bytes, std::shared_ptr<const void> keep_alive) = 0;
  // Copies all bytes of `from` to host memory at `to`. The stream holds `keep_alive`, the owner of
  // the host memory, until the copy has ended.
  virtual Event CopyToHost(std::shared_ptr<Buffer> from, void* to,
                           std::shared_ptr<void> keep_alive) = 0;
  // Copies all bytes of `from`, a buffer of any device, to the beginning of `to`, a buffer of this
  // stream's device.
  virtual Event CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) = 0;
  // Lowers the scheduling priority that runs of this stream have on the host's processors, so that
  // other threads go first, or restores the priority. Returns false when the system does not permit
  // the change; a lowered priority can often not be restored without privileges. A stream whose
  // work does not use the host's processors returns true and does nothing.
  virtual bool SetLowPriority(bool low_priority) = 0;
};

// The priority of a stream's work. When several streams have work, a device begins work of streams
// with high priority first.
enum class StreamPriority { kNormal, kHigh };

// The memory of a device: the budget, the bytes in use, and the most that were ever in use.
struct MemoryStats {
  int64_t limit_bytes = 0, used_bytes = 0, peak_bytes = 0;
};

// How many launches the streams of a device were given since the device was opened.
struct LaunchCounts {
  uint64_t graphs = 0;  // graphs of many steps, which may include loops and branches
  uint64_t steps = 0;   // single kernels, copies and library calls
};

// A device that runs programs: allocates memory, creates streams, and loads executables.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string kind() const = 0;  // "cpu" or "cuda"
  virtual std::string name() const = 0;  // the model, for example "NVIDIA H100 80GB HBM3"
  virtual MemoryStats memory() const = 0;
  // Returns OK while the device works. Once the device is lost, returns the reason, with which all
  // operations on the device fail. A lost device stays lost until the process is restarted.
  virtual absl::Status health() const = 0;
  // Returns zeros for devices that run a program as one native function, such as the CPU.
  virtual LaunchCounts launches() const = 0;
  // Allocates a buffer with uninitialized contents; zero bytes are allowed. Returns
  // RESOURCE_EXHAUSTED, whose message says the size, the memory in use and the limit, when the
  // buffer does not fit.
  virtual absl::StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t size_bytes) = 0;
  // Returns to the system the free memory that was not used since the previous call. May take
  // milliseconds.
  virtual void ReleaseUnusedMemory() = 0;
  // Returns on how many streams the device executes runs concurrently. If 1, a running program
  // should pause before a program on another stream begins. If more, the program need not pause,
  // but work on further streams may have to wait until a running program ends.
  virtual int concurrent_streams() const = 0;
  // Creates a stream; never returns nullptr. `name` becomes a part of the names of the stream's
  // threads. Devices without stream priorities, such as the CPU, ignore `priority`.
  virtual std::unique_ptr<Stream> CreateStream(
      absl::string_view name, StreamPriority priority = StreamPriority::kNormal) = 0;
  // Loads an executable: links its code, and copies its constants to newly allocated device memory.
  // May take milliseconds, so it should be called on the compile pool. Returns the errors of
  // Allocate, and errors of the loader (such as DATA_LOSS) when the code cannot be loaded.
  virtual absl::StatusOr<std::shared_ptr<const Module>> Load(const Executable& executable) = 0;
  // Makes a gang for one launch on `devices`, which are of this device's kind; participant i runs
  // on devices[i]. Does not block. Returns INVALID_ARGUMENT when there is no device, one is of
  // another kind or stands twice, and UNIMPLEMENTED when devices of this kind cannot exchange
  // values.
  virtual absl::StatusOr<std::shared_ptr<Gang>> CreateGang(absl::Span<Device* const> devices) = 0;
};

}  // namespace acceld::hal
