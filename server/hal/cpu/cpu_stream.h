#pragma once

#include <memory>
#include <string>
#include <variant>

#include "common/threads/future.h"
#include "server/hal/command_queue.h"
#include "server/hal/device.h"

namespace acceld::hal::cpu {

// An in-order stream: one worker thread that takes commands from a queue. Events become ready on
// that thread, after the stream has let go of the command's buffers. On an idle stream a copy of a
// few kilobytes and a brief launch run at once on the calling thread, because waking the worker
// would take longer.
//
// Thread-safe. Modules handed to Run must be HostModules. The destructor finishes what is queued.
class CpuStream final : public Stream {
 public:
  explicit CpuStream(const std::string& name) : commands_(name, &CpuStream::Execute) {}

  void Wait(const Event& event) override;
  Event Run(Launch launch) override;
  Event CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                     int64_t offset_bytes, std::shared_ptr<const void> keep_alive) override;
  Event CopyToHost(std::shared_ptr<Buffer> from, void* to,
                   std::shared_ptr<void> keep_alive) override;
  Event CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) override;
  bool SetGivesWay(bool gives_way) override { return commands_.SetGivesWay(gives_way); }

 private:
  struct WaitCommand {
    Event event;
  };
  struct LaunchCommand {
    Launch launch;
    Promise<Unit> done;
  };
  struct CopyCommand {
    const void* from;  // nullptr: all of `remote`
    void* to;
    int64_t size_bytes;
    std::shared_ptr<const void> keep_alive[2];
    Promise<Unit> done;
    std::shared_ptr<const Buffer> remote;  // Of a device whose memory the host does not reach.
  };
  using Command = std::variant<WaitCommand, LaunchCommand, CopyCommand>;

  Event Copy(CopyCommand command);
  static void Execute(Command& command);
  static absl::Status CopyBytes(const CopyCommand& command);
  static void Finish(LaunchCommand& command, const absl::Status& status);
  static void Finish(CopyCommand& command, const absl::Status& status);

  CommandQueue<Command> commands_;
};

}  // namespace acceld::hal::cpu
