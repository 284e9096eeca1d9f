#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "client/transport/bulk/bulk_stream.h"
#include "client/transport/bulk/byte_sink.h"
#include "client/transport/bulk/segment_pool.h"
#include "client/transport/dial/dial.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "common/threads/thread_pool.h"

namespace acceld::client {

// The bulk bytes of one session, on a few threads of their own: through shared memory where the
// daemon offers that, else by Upload and Download streams, on a connection of their own so that
// they never stand before commands. Any thread may call.
class BulkTransfers {
 public:
  // What a transfer belongs to: one is not zero.
  struct Target {
    uint64_t handle = 0;
    uint64_t program_id = 0;
  };

  // For `patience`, an upload whose stream breaks is tried again. `segments`: SegmentPool.
  BulkTransfers(std::unique_ptr<Dialer> dialer, std::string session_token, SocketPlace segments,
                std::chrono::milliseconds patience);
  // Cancels and waits for the threads. Not from one of them.
  ~BulkTransfers();

  // On a thread for uploads of its kind: streams to `target` what `bytes` gives; then `done` with
  // the outcome. The bytes stay until then. For an array, `bytes` may wait for the daemon. For a
  // program it must not: the daemon handles no further command before it has the program.
  void Upload(Target target, std::function<absl::StatusOr<absl::string_view>()> bytes,
              std::function<void(absl::Status)> done);
  // On a download thread: brings a transfer's bytes into `sink`, then `done` with the outcome.
  void Download(uint64_t transfer_id, std::shared_ptr<ByteSink> sink,
                std::function<void(absl::Status)> done);

  // Makes every stream under way, and every later one, fail soon.
  void Cancel();
  // Waits for the threads; later transfers fail at once. Not from one of them.
  void Join();

 private:
  class CallScope;
  absl::Status RunUpload(Target target, absl::string_view bytes);
  absl::Status TryUpload(Target target, absl::string_view bytes);
  bool cancelled();
  absl::Status RunDownload(uint64_t transfer_id, ByteSink& sink);
  absl::Status TryDownload(uint64_t transfer_id, ByteSink& sink);

  const std::string session_token_;
  const std::chrono::milliseconds patience_;
  const std::unique_ptr<Dialer> dialer_;
  SegmentPool segments_;
  Mutex mutex_;
  std::set<BulkStream*> active_ ABSL_GUARDED_BY(mutex_);
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  // Last: their threads use the rest. Programs have a thread that no upload of an array occupies,
  // as those may wait for commands after the one that needs the program.
  ThreadPool program_uploads_, array_uploads_, downloads_;
};

}  // namespace acceld::client
