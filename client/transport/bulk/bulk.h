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

// Transfers the bulk bytes of one session on a few threads of its own: through shared memory if the
// daemon offers that, else by Upload and Download streams on a separate gRPC connection, so that
// they do not delay commands. Thread-safe.
class BulkTransfers {
 public:
  // The destination of an upload: an array (its handle) or a program. Exactly one field is not
  // zero.
  struct Target {
    uint64_t handle = 0;
    uint64_t program_id = 0;
  };

  // An upload whose stream breaks is retried for as long as `patience`. `segments` is passed to
  // SegmentPool.
  BulkTransfers(std::unique_ptr<Dialer> dialer, std::string session_token, SocketEndpoint segments,
                std::chrono::milliseconds patience);
  // Cancels all transfers and waits for the threads. Must not run on one of them.
  ~BulkTransfers();

  // Calls `source` on an upload thread, sends what it returns to `target`, and then calls `done`
  // with the outcome. The bytes must remain valid until then. For an array, `source` may wait for
  // the daemon. For a program it must not, because the daemon handles no further command before it
  // has the program.
  void Upload(Target target, std::function<absl::StatusOr<UploadSource>()> source,
              std::function<void(absl::Status)> done);
  // Receives the bytes of a transfer into `sink` on a download thread, and then calls `done` with
  // the outcome.
  void Download(uint64_t transfer_id, std::shared_ptr<ByteSink> sink,
                std::function<void(absl::Status)> done);

  // Makes all running and later transfers fail soon.
  void Cancel();
  // Waits for the threads; later transfers fail at once. Must not run on one of the threads.
  void Join();

 private:
  class CallScope;
  // RunUpload (for arrays) and RunDownload try shared memory first, and then a stream; RunUpload
  // retries a stream that breaks. TryUpload and TryDownload make one attempt by a stream.
  absl::Status RunUpload(Target target, const UploadSource& source);
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
  // Declared last, because their threads use the other members. Programs have a separate thread,
  // because uploads of arrays may be waiting for commands that the daemon handles only after it has
  // received the program.
  ThreadPool program_uploads_, array_uploads_, downloads_;
};

}  // namespace acceld::client
