#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/transport/bulk/segment_channel.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// The connections of one session whose bulk bytes go through shared memory: one for each transfer
// that goes on at the same time, kept for later ones. Any thread may call.
class SegmentPool {
 public:
  // Without a place, or once a connection could not be made, there are none.
  SegmentPool(SocketPlace place, std::string session_token)
      : session_token_(std::move(session_token)), place_(std::move(place)) {}

  // Blocks for the transfer. UNAVAILABLE: it is to be tried another way.
  absl::Status Upload(uint64_t handle, absl::string_view bytes);
  absl::Status Download(uint64_t transfer_id, ByteSink& sink);

  // Makes a connection that shows the daemon, by its end, that this process is gone.
  void Watch();
  // Makes what goes on and what comes later UNAVAILABLE.
  void Cancel();

 private:
  class Turn;
  // A connection for one transfer; nullptr when there is none.
  std::unique_ptr<SegmentChannel> Take();
  void GiveBack(std::unique_ptr<SegmentChannel> channel);

  const std::string session_token_;
  Mutex mutex_;
  SocketPlace place_ ABSL_GUARDED_BY(mutex_);  // Empty: none are made any more.
  std::vector<std::unique_ptr<SegmentChannel>> idle_ ABSL_GUARDED_BY(mutex_);
  std::vector<SegmentChannel*> busy_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
