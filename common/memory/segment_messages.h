#pragma once

#include <cstdint>

// The protocol by which a client and a daemon on the same host avoid gRPC. They exchange messages
// of fixed size on a second unix socket (packet_socket.h). Over it the client obtains a socket for
// its commands (kChannel) and shared memory for bulk bytes.
//
// Bulk bytes go through a segment of shared memory (memory_segment.h), which the daemon creates for
// each connection; the messages say which bytes are at which offset of the segment. The daemon
// answers requests in order; up to kMaxOutstanding of them may be unanswered. While the daemon
// copies one part of the segment, the client fills or empties another part. So a few megabytes,
// which stay in the processor's cache, suffice for arrays of any size.
//
// The daemon refuses requests of another version than kVersion. Numbers are in the byte order of
// the host.
namespace acceld::segment {

// The path of the second socket is the path of the daemon's first unix socket with this suffix.
constexpr char kSocketSuffix[] = ".segments";
constexpr uint32_t kVersion = 3;
constexpr uint32_t kMaxOutstanding = 64;
// The most bytes that one request may upload from client memory, so that no request takes long.
constexpr uint64_t kMaxClientMemoryUploadBytes = uint64_t{4} << 20;

// The kinds of requests.
enum class RequestKind : uint32_t {
  // The first request. Names the session that the connection belongs to, by the session's token. If
  // the connection ends without a kDetach, the daemon takes the client's process to be gone and
  // ends
  // the session.
  kAttach = 1,
  // Asks for the segment, once, before any kUpload or kDownload. The reply carries the segment's
  // descriptor and size.
  kMap = 2,
  // Uploads `size_bytes` bytes, which are at `segment_offset` of the segment, to the array with
  // handle `target`, beginning at byte `array_offset` of the array. If `last` is set, the upload is
  // complete.
  kUpload = 3,
  // Copies `size_bytes` bytes of the transfer `target`, beginning at its byte `array_offset`, to
  // `segment_offset` of the segment. The first request for a transfer claims it for this
  // connection; the request in which `last` is set ends it.
  kDownload = 4,
  // Announces that the client closes the connection while the session continues.
  kDetach = 5,
  // Asks for a socket, whose descriptor the reply carries. It becomes the session's Channel in
  // place of the stream on which the session was opened or resumed: the client sends CommandBatch
  // messages and the daemon EventBatch messages, split into packets as message_socket.h says. The
  // daemon's first packet carries a pair of mailboxes (mailbox.h), through which single small
  // batches bypass the socket. If the daemon ends the channel, its last event is a Goodbye.
  kChannel = 6,
  // Carries the descriptor of memory of the client (memfd_create(2)), from which
  // kUploadFromClientMemory takes
  // its bytes until the next kShareClientMemory.
  kShareClientMemory = 7,
  // As kUpload, but `segment_offset` is an offset in the client memory that the last
  // kShareClientMemory passed,
  // and `size_bytes` is at most kMaxClientMemoryUploadBytes.
  kUploadFromClientMemory = 8,
  // Copies another part of the transfer `target` to memory that nobody can change any more once it
  // is complete, and that all clients which fetch the same array share. The client repeats the
  // request until a reply carries the descriptor of this memory, which ends the transfer. After an
  // error the client may still use kDownload.
  kShare = 9,
};

// One request, which is one packet. RequestKind says what a kind does with the fields; it ignores
// the others.
struct Request {
  RequestKind kind = RequestKind::kAttach;
  uint32_t version = kVersion;
  uint64_t target = 0;
  uint64_t array_offset = 0;
  uint64_t segment_offset = 0;
  uint64_t size_bytes = 0;
  uint32_t last = 0;
  uint32_t padding = 0;
  char token[16] = {};  // kAttach: the session's token
};

// The answer to a request, which is one packet.
struct Reply {
  uint32_t code = 0;  // absl::StatusCode; 0: success
  // Bytes of `message` in use.
  uint32_t message_size = 0;
  uint64_t segment_size_bytes = 0;  // kMap: the segment's size
  char message[240] = {};
};

}  // namespace acceld::segment
