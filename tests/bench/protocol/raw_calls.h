#pragma once

#include <sys/un.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "grpcpp/support/byte_buffer.h"
#include "tests/bench/protocol/peer.h"

// The peer's client: what a plain socket and a plain gRPC stream take.
namespace acceld::bench {

inline constexpr size_t kRawChunkBytes = size_t{1} << 20;

// Returns a message of so many bytes.
grpc::ByteBuffer RawMessage(size_t bytes);
// Returns a message that refers to `bytes`, which must outlive all calls that send it.
grpc::ByteBuffer RawMessageOf(absl::string_view bytes);
sockaddr_un RawSocketAddress(const std::string& path);

// Measures questions of `question_bytes`, each with an answer of the same size. Ask returns
// seconds.
class GrpcPingPong {
 public:
  GrpcPingPong(const PeerAddresses& peer, Transport transport);
  ~GrpcPingPong();
  double Ask(size_t question_bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
class SocketPingPong {
 public:
  explicit SocketPingPong(const PeerAddresses& peer);
  ~SocketPingPong();
  double Ask(size_t question_bytes);

 private:
  int fd_;
  std::string buffer_;
};

// Streams bytes to the peer, or from it, in messages of kRawChunkBytes. Return seconds.
double GrpcSend(const PeerAddresses& peer, Transport transport, absl::string_view bytes);
double GrpcReceive(const PeerAddresses& peer, Transport transport, absl::Span<char> into);

}  // namespace acceld::bench
