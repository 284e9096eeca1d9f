#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "common/mutex.h"
#include "common/status.h"
#include "common/thread_pool.h"

namespace acceld::client {

// Upload and Download streams of one session, on a connection of their own so that bulk bytes never
// stand before commands, and on their own few threads. Any thread may call.
class BulkTransfers {
 public:
  BulkTransfers(std::shared_ptr<grpc::Channel> channel, std::string session_token);
  // Cancels and waits for the threads. Not from one of them.
  ~BulkTransfers();

  // Streams `bytes` for `handle` after `ready` (which may block) gives OK, on an upload thread;
  // then `done` with the outcome.
  void Upload(uint64_t handle, absl::string_view bytes, std::function<absl::Status()> ready,
              std::function<void(absl::Status)> done);
  // Collects a transfer's bytes on a download thread.
  void Download(uint64_t transfer_id, std::function<void(absl::StatusOr<std::string>)> done);

  // Makes every stream under way, and every later one, fail soon.
  void Cancel();

 private:
  class CallScope;
  absl::Status RunUpload(uint64_t handle, absl::string_view bytes);
  absl::StatusOr<std::string> RunDownload(uint64_t transfer_id);

  const std::string session_token_;
  std::unique_ptr<v1::Acceld::Stub> stub_;
  Mutex mutex_;
  std::set<grpc::ClientContext*> active_ ABSL_GUARDED_BY(mutex_);
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  ThreadPool uploads_, downloads_;  // Last: their threads use the rest.
};

}  // namespace acceld::client
