#pragma once

#include <memory>
#include <string>
#include <variant>

#include "common/threads/future.h"
#include "server/hal/command_queue.h"
#include "server/hal/device.h"

namespace acceld::hal::cpu {

// An in-order stream of a CPU device: one worker thread that runs commands from a queue. The event
// of a command becomes ready on the thread that ran it, after the stream has dropped its references
// to the command's buffers. On an idle stream, copies of a few kilobytes and launches that are
// marked `may_run_inline` run on the calling thread, because waking the worker would take longer;
// those of gangs when all participants are there (CpuGang::RunInline).
//
// Thread-safe. Modules that are passed to Run must be HostModules, and gangs CpuGangs. The
// destructor blocks until all queued commands have run.
class CpuStream final : public Stream {
 public:
  // `name` becomes the name of the worker thread.
  explicit CpuStream(const std::string& name) : commands_(name, &CpuStream::Execute) {}

  void Wait(const Event& event) override;
  Event Run(Launch launch) override;
  Event CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                     int64_t offset_bytes, std::shared_ptr<const void> keep_alive) override;
  Event CopyToHost(std::shared_ptr<Buffer> from, void* to,
                   std::shared_ptr<void> keep_alive) override;
  Event CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) override;
  bool SetLowPriority(bool low_priority) override { return commands_.SetLowPriority(low_priority); }

 private:
  struct WaitCommand {
    Event event;
  };
  struct LaunchCommand {
    Launch launch;
    Promise<Unit> done;
  };
  struct CopyCommand {
    const void* from;  // nullptr: the source is `remote`
    void* to;
    int64_t size_bytes;
    std::shared_ptr<const void> keep_alive[2];
    Promise<Unit> done;
    std::shared_ptr<const Buffer> remote;  // a source whose memory the host cannot access
  };
  using Command = std::variant<WaitCommand, LaunchCommand, CopyCommand>;

  // After BeginInline.
  void LeaveToGang(const std::shared_ptr<LaunchCommand>& command);
  Event Copy(CopyCommand command);
  static void Execute(Command& command);
  static absl::Status CopyBytes(const CopyCommand& command);
  static void Finish(LaunchCommand& command, const absl::Status& status);
  static void Finish(CopyCommand& command, const absl::Status& status);

  CommandQueue<Command> commands_;
};

}  // namespace acceld::hal::cpu
