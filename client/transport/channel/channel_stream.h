#pragma once

#include <atomic>

#include "acceld/v1/acceld.pb.h"
#include "common/status.h"

namespace acceld::client {

// One stream of a session: batches of commands there, batches of events back. One thread at a time
// writes and one reads; both block. Any thread may cancel.
class ChannelStream {
 public:
  virtual ~ChannelStream() = default;
  // False when the stream is broken: its reader finds out, too.
  virtual bool Write(const v1::CommandBatch& batch) = 0;
  // False at the end of the stream.
  virtual bool Read(v1::EventBatch& batch) = 0;
  // Whether something has come for Read, which is then quick. Waits some hundred microseconds at
  // most, and not at all where nothing can be said in advance; false then.
  virtual bool PollBriefly() = 0;
  // Makes what goes on and what comes later fail.
  virtual void Cancel() = 0;
  // Why it has ended: after a Read that has failed. Once.
  virtual absl::Status Finish() = 0;

  bool write_failed() const { return write_failed_.load(std::memory_order_relaxed); }
  // Nothing more is written.
  void FailWrites() { write_failed_ = true; }

 private:
  std::atomic<bool> write_failed_{false};
};

}  // namespace acceld::client
