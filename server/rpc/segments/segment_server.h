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

// The second unix socket, for bulk bytes in shared memory (common/memory/segment_messages.h). A few
// threads wait for requests together; each takes one connection at a time and answers a few of its
// requests, so no client holds up another by more than those. They never wait for a client.
//
// Who has not said whose connection it is belongs to a few, and has a short time; when there are
// too many of them the oldest is ended.
class SegmentServer {
 public:
  // Listens beside `socket_path`, where the daemon has its first socket; at `passed` if that is
  // valid, a socket that listens there already and whose file stays. The others outlive the server.
  // With segments of no bytes connections are closed at once.
  static absl::StatusOr<std::unique_ptr<SegmentServer>> Start(const RpcContext& rpc,
                                                              LocalChannels& channels,
                                                              SharedArrays& shared_arrays,
                                                              const std::string& socket_path,
                                                              UniqueFd passed = UniqueFd());
  // Closes all connections and removes the socket. Blocks for the requests that are being answered.
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
  // Nothing ends the connection for its silence any more.
  void NoLongerSilent(const SegmentConnection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does what is due: serves a connection again that wanted that, ends those who stayed silent,
  // accepts again. How long to wait for what is due next, in ms as epoll_wait takes it.
  int DoWhatIsDue();
  void ArmListener();
  // Asks for one thread to be told of the next thing to read.
  absl::Status Arm(int operation, int fd, void* what);

  const RpcContext& rpc_;
  LocalChannels& channels_;
  SharedArrays& shared_arrays_;
  const std::shared_ptr<ShareTable> shares_;  // Shared with what was taken of it.
  const std::string path_;
  const bool is_passed_;  // The socket's file is another's.
  UniqueFd listener_, stop_, poll_;
  Mutex mutex_;
  absl::flat_hash_map<SegmentConnection*, std::unique_ptr<SegmentConnection>> connections_
      ABSL_GUARDED_BY(mutex_);
  std::deque<std::pair<std::chrono::steady_clock::time_point, SegmentConnection*>> again_
      ABSL_GUARDED_BY(mutex_);
  // Connections that are not attached, the oldest first, and since when.
  std::deque<std::pair<std::chrono::steady_clock::time_point, SegmentConnection*>> silent_
      ABSL_GUARDED_BY(mutex_);
  // When to accept again, after there was no descriptor left.
  absl::optional<std::chrono::steady_clock::time_point> accept_at_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace acceld::rpc
