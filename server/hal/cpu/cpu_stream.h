#pragma once

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "common/future.h"
#include "common/mutex.h"
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
  explicit CpuStream(std::string name);
  ~CpuStream() override;

  void Wait(const Event& event) override;
  Event Run(Launch launch) override;
  Event CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                     int64_t offset_bytes, std::shared_ptr<const void> keep_alive) override;
  Event CopyToHost(std::shared_ptr<Buffer> from, void* to,
                   std::shared_ptr<void> keep_alive) override;
  Event CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) override;

 private:
  struct WaitCommand {
    Event event;
  };
  struct LaunchCommand {
    Launch launch;
    Promise<Unit> done;
  };
  struct CopyCommand {
    const void* from;
    void* to;
    int64_t size_bytes;
    std::shared_ptr<const void> keep_alive[2];
    Promise<Unit> done;
  };
  using Command = std::variant<WaitCommand, LaunchCommand, CopyCommand>;

  Event Copy(CopyCommand command);
  // True when the stream is idle: the caller runs one command by itself and then calls EndInline.
  bool BeginInline();
  void EndInline();
  void Enqueue(Command command);
  void RunWorker();
  static void Execute(Command& command);
  static void CopyBytes(const CopyCommand& command);
  static void Finish(LaunchCommand& command, const absl::Status& status);
  static void Finish(CopyCommand& command);

  Mutex mutex_;
  CondVar changed_;
  std::deque<Command> queue_ ABSL_GUARDED_BY(mutex_);
  bool worker_busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool inline_busy_ ABSL_GUARDED_BY(mutex_) = false;  // a caller runs a command
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread worker_;
};

}  // namespace acceld::hal::cpu
