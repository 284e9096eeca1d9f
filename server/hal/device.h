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
#include "server/hal/host_calls.h"
#include "server/hal/run_control.h"

// Devices behind one small interface. In-order streams: every stream call enqueues and returns;
// what goes wrong later surfaces at events. All methods are thread-safe unless noted.
namespace acceld::hal {

// Device memory. Freed when the last reference goes; whoever enqueues work that touches it keeps a
// reference until that work is done.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual int64_t size_bytes() const = 0;
  virtual void* address() const = 0;  // for the device
  // Where host code reads the bytes once the defining event is done, and writes them before
  // anything else uses the buffer. nullptr when it cannot.
  virtual void* host_address() const = 0;
  // Copies all bytes to host memory, for devices that do not reach this one's. Blocks; nothing may
  // be writing to the buffer.
  virtual absl::Status Read(void* to) const = 0;
};

// Code loaded on a device.
class Module {
 public:
  virtual ~Module() = default;
  virtual int64_t size_bytes() const = 0;
  // What of it counts as the device's memory; free again when the last reference goes.
  virtual int64_t device_bytes() const = 0;
};

// One run of a module. The pointed-to buffers must outlive it; Stream::Launch takes shared
// ownership.
struct Launch {
  std::shared_ptr<const Module> module;
  std::vector<std::shared_ptr<Buffer>> arguments, results;
  std::shared_ptr<Buffer> arena;  // nullptr when the executable needs none
  // Through which it is told to end or to pause. nullptr: it is told nothing.
  std::shared_ptr<RunControl> control;
  // Whom its host calls ask. nullptr: they fail.
  std::shared_ptr<HostCalls> host;
  // Expected to take some microseconds at most: the stream may run it on the calling thread.
  bool brief = false;
  // Set to the nanoseconds that the run took on the device, without those in which it paused or
  // waited for its host, before its event is ready. nullptr: not wanted.
  std::shared_ptr<std::atomic<int64_t>> device_ns;
};

class Stream {
 public:
  virtual ~Stream() = default;
  // Work enqueued later waits for `event` first. An error of the event does not fail the stream.
  virtual void Wait(const Event& event) = 0;
  // The returned events become ready when the work is done, with its error if it failed.
  virtual Event Run(Launch launch) = 0;
  // `from` stays alive through `keep_alive`.
  virtual Event CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                             int64_t offset_bytes, std::shared_ptr<const void> keep_alive) = 0;
  virtual Event CopyToHost(std::shared_ptr<Buffer> from, void* to,
                           std::shared_ptr<void> keep_alive) = 0;
  virtual Event CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) = 0;
  // Lets what runs here have the host's processors only as far as others leave them, or as before.
  // False when that cannot be: a system may let nobody take back that he has given way.
  virtual bool SetGivesWay(bool gives_way) = 0;
};

// Which of two streams' work a device begins first when both have some.
enum class StreamPriority { kNormal, kHigh };

struct MemoryStats {
  int64_t limit_bytes = 0, used_bytes = 0, peak_bytes = 0;
};

// What a device's streams were given since it was opened.
struct LaunchCounts {
  uint64_t graphs = 0;  // parts of programs, loops and branches included
  uint64_t steps = 0;   // single kernels, copies and calls of libraries
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string kind() const = 0;  // "cpu"
  virtual std::string name() const = 0;
  virtual MemoryStats memory() const = 0;
  // Why the device is lost, so that all that it is asked for fails with this error; OK while it
  // works. A lost device stays lost until the process is started anew.
  virtual absl::Status health() const = 0;
  // Zeros where a program is one function, as on the CPU.
  virtual LaunchCounts launches() const = 0;
  // RESOURCE_EXHAUSTED with size, use and limit when it does not fit. Zero bytes are fine.
  virtual absl::StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t size_bytes) = 0;
  // Gives memory that is free, and was not used since the call before, back to the system. May take
  // milliseconds.
  virtual void ReleaseUnusedMemory() = 0;
  // Of how many streams the device works on runs side by side. 1: a run that others are to go
  // before pauses for them. More: it need not, but what more streams are given may have to wait for
  // its end.
  virtual int streams_side_by_side() const = 0;
  // Where there is no such thing, as on the CPU, the priority does not count.
  virtual std::unique_ptr<Stream> CreateStream(
      absl::string_view name, StreamPriority priority = StreamPriority::kNormal) = 0;
  // Links code and uploads constants, for which it allocates; may take milliseconds, so call it on
  // the compile pool. The errors of Allocate.
  virtual absl::StatusOr<std::shared_ptr<const Module>> Load(const Executable& executable) = 0;
};

}  // namespace acceld::hal
