#pragma once

#include <atomic>

#include "acceld/v1/acceld.pb.h"
#include "common/status.h"

namespace acceld::client {

// One bidirectional stream of a session: batches of commands to the daemon, batches of events from
// it. One thread at a time may write and one may read; both operations block. Cancel may be called
// by any thread.
class ChannelStream {
 public:
  virtual ~ChannelStream() = default;
  // Sends a batch. Returns false if the stream is broken; a Read will then fail, too.
  virtual bool Write(const v1::CommandBatch& batch) = 0;
  // Receives a batch. Returns false at the end of the stream.
  virtual bool Read(v1::EventBatch& batch) = 0;
  // Returns whether data has arrived, so that a Read would return soon. Polls for at most some
  // hundred microseconds. Streams that cannot tell return false at once.
  virtual bool PollBriefly() = 0;
  // Makes running and later operations fail.
  virtual void Cancel() = 0;
  // Returns why the stream has ended. Call once, after a Read has failed.
  virtual absl::Status Finish() = 0;

  bool write_failed() const { return write_failed_.load(std::memory_order_relaxed); }
  // Marks the stream as one to which nothing more is written.
  void FailWrites() { write_failed_ = true; }

 private:
  std::atomic<bool> write_failed_{false};
};

}  // namespace acceld::client
