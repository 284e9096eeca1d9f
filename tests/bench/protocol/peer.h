#pragma once

#include <string>

#include "absl/types/span.h"
#include "tests/support/daemon/process.h"

// What the protocol is compared with: another process that answers as simply as can be.
namespace acceld::bench {

// The other process's main: a generic gRPC service on the unix socket `folder`/grpc that echoes the
// messages of a stream "/echo", takes in those of "/sink" and sends `kStreamBytes` on "/source";
// and a plain socket `folder`/raw that echoes what it reads. Never returns.
[[noreturn]] void RunPeer(const std::string& folder);

// Starts this very program as the peer; returns when it answers.
testing::Process StartPeer(const std::string& folder);

// Seconds for one question of `question_bytes` and one answer of the same size.
class GrpcPingPong {
 public:
  explicit GrpcPingPong(const std::string& folder);
  ~GrpcPingPong();
  double Ask(size_t question_bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
class SocketPingPong {
 public:
  explicit SocketPingPong(const std::string& folder);
  ~SocketPingPong();
  double Ask(size_t question_bytes);

 private:
  int fd_;
  std::string buffer_;
};

// Seconds to stream so many bytes to the peer, or from it, in messages of 1 MiB.
double GrpcSend(const std::string& folder, size_t bytes);
double GrpcReceive(const std::string& folder, absl::Span<char> into);

}  // namespace acceld::bench
