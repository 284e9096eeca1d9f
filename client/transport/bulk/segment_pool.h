#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/transport/bulk/segment_channel.h"
#include "client/transport/bulk/upload_source.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// The shared-memory connections of one session. Each concurrent transfer has one; idle connections
// are kept for later transfers. Thread-safe.
class SegmentPool {
 public:
  // `endpoint` is the daemon's first unix socket. With an empty path, or after a connection could
  // not be made, there are no connections and transfers are UNAVAILABLE.
  SegmentPool(SocketEndpoint endpoint, std::string session_token)
      : session_token_(std::move(session_token)), endpoint_(std::move(endpoint)) {}

  // Transfer an array; block until done. UNAVAILABLE: make the transfer in another way.
  absl::Status Upload(uint64_t handle, const UploadSource& source);
  absl::Status Download(uint64_t transfer_id, ByteSink& sink);

  // Opens a connection now. The daemon notices that this process has ended when that connection
  // closes.
  void Watch();
  // Makes running and later transfers fail with UNAVAILABLE.
  void Cancel();

 private:
  class ScopedChannel;
  // Returns a connection for one transfer, or nullptr if there is none. GiveBack returns it to the
  // pool.
  std::unique_ptr<SegmentChannel> Take();
  void GiveBack(std::unique_ptr<SegmentChannel> channel);

  const std::string session_token_;
  Mutex mutex_;
  // An empty path means that no more connections are made.
  SocketEndpoint endpoint_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<SegmentChannel>> idle_ ABSL_GUARDED_BY(mutex_);
  std::vector<SegmentChannel*> busy_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
