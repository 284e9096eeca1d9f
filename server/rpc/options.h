#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/net/address.h"
#include "server/rpc/access_options.h"

namespace acceld::rpc {

struct RpcOptions {
  std::vector<Address> listen;
  AccessOptions access;
  std::string version;  // of the daemon, for clients
  // Clients are told that the daemon ends by itself when nobody has a session with it.
  bool ends_when_idle = false;
  // A message above this is RESOURCE_EXHAUSTED and ends its stream.
  int64_t max_message_bytes = int64_t{64} << 20;
  // Fetched arrays up to this size travel in the event.
  uint64_t max_inline_bytes = uint64_t{64} << 10;
  // Commands that a client may send beyond those credited back.
  uint64_t command_window = 32768;
  // A session's channel is not read while more than this is under way for it.
  uint64_t max_requests = 16384;
  uint64_t max_executions = 65536;
  uint64_t max_event_bytes = uint64_t{8} << 20;
  // Fetched bytes of a session that may wait for their download.
  uint64_t max_transfer_bytes = uint64_t{16} << 30;
  // Refused commands of a session that are remembered; with more the session ends.
  uint64_t max_refusals = 100'000;
  // The longest lease that a session is granted.
  std::chrono::milliseconds max_lease{300'000};
  // A program's bytes in an Upload.
  int64_t max_program_bytes = int64_t{1} << 30;
  // Threads that decode large programs, and what may wait for them.
  int decode_threads = 2;
  uint64_t max_queued_decodes = 4096;
  // Shared memory of one connection for bulk bytes on this host; 0: there are none.
  uint64_t segment_bytes = uint64_t{4} << 20;
  int segment_threads = 2;
  // Threads that read the channels of clients on this host.
  int channel_threads = 4;
  // How long one of them looks out for a client's next commands before it sleeps.
  int channel_poll_us = 200;
  uint64_t max_segment_connections = 4096;
  // Those who have not said yet who they are: how many, and for how long.
  uint64_t max_unidentified = 64;
  std::chrono::milliseconds identify_timeout{5000};
  // A connection without calls is closed after this, and an upload whose next chunk does not come
  // is ended.
  std::chrono::milliseconds connection_idle{300'000};
  // Descriptors of the process that are left for admins and for itself.
  uint64_t descriptor_reserve = 128;
  // Of segment connections and shared arrays, what one identity may have.
  int identity_share_percent = 25;
  // Arrays that clients on this host map: all together, and how many.
  uint64_t shared_array_bytes = uint64_t{1} << 30;
  uint64_t max_shared_arrays = 1024;
};

}  // namespace acceld::rpc
