#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/net/address.h"
#include "server/rpc/access_options.h"

namespace acceld::rpc {

// The options of the RPC server; deploy/CONFIG.md documents the settings that they come from.
struct RpcOptions {
  std::vector<Address> listen;
  AccessOptions access;
  std::string version;  // of the daemon; sent to clients
  // Sent to clients: the daemon ends by itself when it has no sessions.
  bool ends_when_idle = false;
  // A larger message from a client ends its call or channel with RESOURCE_EXHAUSTED.
  int64_t max_message_bytes = int64_t{64} << 20;
  // Fetched arrays up to this size are sent in the event itself.
  uint64_t max_inline_bytes = uint64_t{64} << 10;
  // How many commands a client may send beyond those that were credited back to it.
  uint64_t command_window = 32768;
  // A session's channel is not read while the session has this many unanswered requests, this many
  // executions and uploads that have not ended, or this many bytes of events to be sent.
  uint64_t max_requests = 16384;
  uint64_t max_executions = 65536;
  uint64_t max_event_bytes = uint64_t{8} << 20;
  // How many bytes of a session's fetched arrays may wait to be downloaded.
  uint64_t max_transfer_bytes = uint64_t{16} << 30;
  // How many refused programs, and how many results of refused commands, a session remembers; the
  // session ends when there are more.
  uint64_t max_refusals = 100'000;
  // The longest lease that a session is granted.
  std::chrono::milliseconds max_lease{300'000};
  // The size of the largest program that may be uploaded.
  int64_t max_program_bytes = int64_t{1} << 30;
  // The threads of the decode pool, and how many tasks may wait for them.
  int decode_threads = 2;
  uint64_t max_queued_decodes = 4096;
  // The size of the shared memory in which one client on this host exchanges bulk bytes with the
  // daemon; 0: clients on this host use gRPC like others.
  uint64_t segment_bytes = uint64_t{4} << 20;
  // Threads that serve the connections for shared memory.
  int segment_threads = 2;
  // Threads that serve the channels of clients on this host.
  int channel_threads = 4;
  // How long such a thread polls for a client's next commands before it sleeps.
  int channel_poll_us = 200;
  uint64_t max_segment_connections = 4096;
  // Connections whose caller is not identified yet: how many there may be, and for how long.
  uint64_t max_unidentified = 64;
  std::chrono::milliseconds identify_timeout{5000};
  // A connection without calls is closed after this time, and an upload is ended whose next chunk
  // does not come within it; 0: never.
  std::chrono::milliseconds connection_idle{300'000};
  // How many file descriptors of the process are reserved for admins and for the daemon itself.
  uint64_t descriptor_reserve = 128;
  // How much of the segment connections, the shared arrays and the decode pool's queue one identity
  // may use.
  int identity_share_percent = 25;
  // Arrays that clients on this host map into their memory: bytes of all together, and how many.
  uint64_t shared_array_bytes = uint64_t{1} << 30;
  uint64_t max_shared_arrays = 1024;
};

}  // namespace acceld::rpc
