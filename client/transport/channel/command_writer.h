#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "client/transport/channel/channel_stream.h"
#include "client/transport/channel/outbox.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// Writes the commands of one session: on a thread of its own, or on that of a caller who is about
// to wait for an answer. The thread keeps out of the way of callers who write all the time, and
// gives commands that come in a flow a moment to gather.
//
// Any thread may call.
class CommandWriter {
 public:
  // The outbox outlives the writer. `stream` gives the stream that the session has now.
  CommandWriter(CommandOutbox& outbox, std::function<std::shared_ptr<ChannelStream>()> stream)
      : outbox_(outbox), stream_(std::move(stream)) {}
  ~CommandWriter() { Join(); }

  // Starts the thread. With a lease, something is written at least three times in its time.
  void Start(std::chrono::milliseconds lease);
  // Waits for the thread, which goes when the outbox has failed.
  void Join();

  // Writes what is in the outbox.
  void WriteNow();

  // Held while a batch is written; who replaces the stream holds it, too.
  Mutex& mutex() ABSL_LOCK_RETURNED(mutex_) { return mutex_; }

 private:
  // Whether there was anything to write.
  bool Flush();
  void WriteNothing();
  void Run(std::chrono::milliseconds lease);

  CommandOutbox& outbox_;
  const std::function<std::shared_ptr<ChannelStream>()> stream_;
  Mutex mutex_;
  std::atomic<uint64_t> flushes_by_callers_{0};
  std::thread thread_;
};

}  // namespace acceld::client
