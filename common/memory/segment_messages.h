#pragma once

#include <cstdint>

// How a client and a daemon on the same host pass gRPC by: with messages on a second unix socket
// (packet_socket.h), over which the client gets a socket for its commands (kChannel) and memory for
// bulk bytes.
//
// Bulk bytes go through a segment of shared memory (memory_segment.h) that the daemon makes for one
// connection, whose messages say what lies where in it. Requests are answered in order; up
// to kMaxOutstanding may wait for their answers. While the daemon copies one part, the client fills
// or empties another, so that a few megabytes, which stay in the processor's cache, serve arrays of
// any size.
//
// Both ends are built from one source or refuse each other (kVersion); numbers are the host's.
namespace acceld::segment {

// The second socket's path is that of the first and this.
constexpr char kSocketSuffix[] = ".segments";
constexpr uint32_t kVersion = 3;
constexpr uint32_t kMaxOutstanding = 64;
// What one request brings of lent memory, so that each is done soon.
constexpr uint64_t kMaxLentBytes = uint64_t{4} << 20;

enum class RequestKind : uint32_t {
  // First: says whose connection this is, by the session's token. When the connection ends without
  // a kLeave, the process that had the session is gone, and the session ends.
  kAttach = 1,
  // Second, if bytes are to go: the answer carries the segment's descriptor and size.
  kMap = 2,
  // `size` bytes at `segment_offset` are those of the upload to handle `target` from
  // `array_offset` on. With `last` the upload is complete.
  kUpload = 3,
  // Puts `size` bytes of the transfer `target` from `array_offset` on to `segment_offset`. The
  // first request takes the transfer, the one with `last` ends it.
  kDownload = 4,
  // The connection is going to end; the session is not.
  kLeave = 5,
  // The answer carries the descriptor of a socket that is the session's Channel from now on, in
  // place of the stream that it was opened or resumed on: CommandBatch one way, EventBatch the
  // other, cut as message_socket.h says. What comes first on it are mailboxes (mailbox.h), which
  // carry single small batches past the socket. Its last event is a Goodbye when the daemon ends
  // it.
  kChannel = 6,
  // Comes with the descriptor of memory of the client's (memfd_create(2)), from which uploads are
  // taken until other memory is lent.
  kLend = 7,
  // As kUpload, but `segment_offset` is one in the lent memory; at most kMaxLentBytes.
  kUploadLent = 8,
  // Copies a bit more of the transfer `target` to memory that is the same for all who ask for that
  // array and that nobody can change. To be sent until an answer carries its descriptor, which ends
  // the transfer. After an error, kDownload may still be.
  kShare = 9,
};

struct Request {
  RequestKind kind = RequestKind::kAttach;
  uint32_t version = kVersion;
  uint64_t target = 0;
  uint64_t array_offset = 0;
  uint64_t segment_offset = 0;
  uint64_t size_bytes = 0;
  uint32_t last = 0;
  uint32_t padding = 0;
  char token[16] = {};  // kAttach
};

struct Reply {
  uint32_t code = 0;  // a canonical status code; 0: fine
  uint32_t message_size = 0;
  uint64_t segment_size_bytes = 0;  // kMap
  char message[240] = {};
};

}  // namespace acceld::segment
