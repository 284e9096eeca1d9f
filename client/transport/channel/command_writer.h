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

// Writes the commands of one session, either on its own thread or on the thread of a caller that is
// about to wait for an answer. The writer thread leaves the writing to callers while they write
// often, and delays a little when commands arrive in quick succession, so that they share a batch.
//
// Thread-safe.
class CommandWriter {
 public:
  // The outbox must outlive the writer. `stream` returns the session's current stream.
  CommandWriter(CommandOutbox& outbox, std::function<std::shared_ptr<ChannelStream>()> stream)
      : outbox_(outbox), stream_(std::move(stream)) {}
  ~CommandWriter() { Join(); }

  // Starts the thread. With a lease, the thread sends something at least three times within the
  // lease, an empty batch if necessary, to renew it.
  void Start(std::chrono::milliseconds lease);
  // Waits for the thread, which ends when the outbox has failed.
  void Join();

  // Writes the commands that are in the outbox, on the calling thread.
  void WriteNow();

  // Held while a batch is written. Hold it to replace the stream.
  Mutex& mutex() ABSL_LOCK_RETURNED(mutex_) { return mutex_; }

 private:
  // Writes the commands in the outbox; returns whether there were any.
  bool Flush();
  // Writes an empty batch, which renews the lease.
  void WriteNothing();
  void Run(std::chrono::milliseconds lease);

  CommandOutbox& outbox_;
  const std::function<std::shared_ptr<ChannelStream>()> stream_;
  Mutex mutex_;
  std::atomic<uint64_t> flushes_by_callers_{0};
  std::thread thread_;
};

}  // namespace acceld::client
