#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/files/unique_fd.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/rpc/rpc_context.h"
#include "server/rpc/segments/segment_connection.h"
#include "server/rpc/session/share_table.h"

namespace acceld::rpc {

// Serves the daemon's second unix socket, for bulk bytes in shared memory
// (common/memory/segment_messages.h). A few threads wait for requests on all connections; each
// serves one connection at a time and answers a few of its requests, so that no client delays
// another one by more than these. The threads never wait for a client.
//
// The number of connections that have not named their session, and the time for which they may
// stay so, are limited; when there are too many the oldest of them is shut down.
class SegmentServer {
 public:
  // Listens at the path of the daemon's first socket, `socket_path`, followed by
  // segment::kSocketSuffix. If `passed` is valid, it is a socket that listens there already: it is
  // used, and its file is neither created nor removed. The references must outlive the server. If
  // RpcOptions::segment_bytes is 0, connections are closed as soon as they are accepted. Errors are
  // the system's.
  static absl::StatusOr<std::unique_ptr<SegmentServer>> Start(const RpcContext& rpc,
                                                              LocalChannels& channels,
                                                              SharedArrays& shared_arrays,
                                                              const std::string& socket_path,
                                                              UniqueFd passed = UniqueFd());
  // Closes all connections and removes the socket's file. Blocks until the requests that are being
  // answered are done.
  ~SegmentServer();
  SegmentServer(const SegmentServer&) = delete;
  SegmentServer& operator=(const SegmentServer&) = delete;

 private:
  SegmentServer(const RpcContext& rpc, LocalChannels& channels, SharedArrays& shared_arrays,
                std::string path, UniqueFd passed)
      : rpc_(rpc),
        channels_(channels),
        shared_arrays_(shared_arrays),
        shares_(std::make_shared<ShareTable>("max-segment-connections",
                                             rpc.options.max_segment_connections,
                                             rpc.options.identity_share_percent)),
        path_(std::move(path)),
        is_passed_(passed.valid()),
        listener_(std::move(passed)) {}
  absl::Status Listen();
  void RunThread();
  void Accept();
  void Serve(SegmentConnection& connection);
  void Keep(std::unique_ptr<SegmentConnection> connection);
  // Removes the connection from unattached_.
  void RemoveUnattached(const SegmentConnection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does what is due: retries a connection, shuts down connections that have not named their
  // session for too long, resumes accepting. Returns the time until something is due next, in
  // milliseconds; -1: nothing is (as epoll_wait(2) takes it).
  int RunDueWork();
  void ArmListener();
  // Has epoll report `what` to one thread, once, when `fd` can be read. `operation` is that of
  // epoll_ctl(2).
  absl::Status Arm(int operation, int fd, void* what);

  const RpcContext& rpc_;
  LocalChannels& channels_;
  SharedArrays& shared_arrays_;
  const std::shared_ptr<ShareTable> shares_;  // shared with what was taken of it
  const std::string path_;
  const bool is_passed_;             // the socket was passed to the process, which owns no file
  UniqueFd listener_, stop_, poll_;  // stop_ is the eventfd that ends the threads
  Mutex mutex_;
  absl::flat_hash_map<SegmentConnection*, std::unique_ptr<SegmentConnection>> connections_
      ABSL_GUARDED_BY(mutex_);
  // Connections to be served again, and when.
  std::deque<std::pair<std::chrono::steady_clock::time_point, SegmentConnection*>> retries_
      ABSL_GUARDED_BY(mutex_);
  // Connections that have not named their session, the oldest first, and when they were accepted.
  std::deque<std::pair<std::chrono::steady_clock::time_point, SegmentConnection*>> unattached_
      ABSL_GUARDED_BY(mutex_);
  // When to accept again, after a connection could not be accepted.
  absl::optional<std::chrono::steady_clock::time_point> accept_at_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace acceld::rpc
