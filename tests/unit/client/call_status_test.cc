#include "client/transport/dial/call_status.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::client {
namespace {

constexpr char kPeer[] = "unix:/run/acceld.sock";

absl::Status Told(grpc::StatusCode code, const std::string& message) {
  return StatusOfCall(grpc::Status(code, message), kPeer);
}

TEST(CallStatusTest, WhatTheDaemonSaysStays) {
  EXPECT_TRUE(StatusOfCall(grpc::Status::OK, kPeer).ok());
  EXPECT_EQ(Told(grpc::StatusCode::UNAVAILABLE, "the daemon is draining: try another"),
            absl::UnavailableError("the daemon is draining: try another"));
  EXPECT_EQ(Told(grpc::StatusCode::CANCELLED, "killed by ada"),
            absl::CancelledError("killed by ada"));
  EXPECT_EQ(Told(grpc::StatusCode::INTERNAL, "pass fuse broke the module"),
            absl::InternalError("pass fuse broke the module"));
  EXPECT_EQ(Told(grpc::StatusCode::NOT_FOUND, "Socket closed"),
            absl::NotFoundError("Socket closed"));
}

TEST(CallStatusTest, WhatGrpcSaysOfAConnectionSaysWhatHappened) {
  const absl::Status ended =
      absl::UnavailableError("the daemon at unix:/run/acceld.sock ended the connection");
  for (const char* words :
       {"Socket closed", "recvmsg:Connection reset by peer", "Connection reset by peer",
        "sendmsg:Broken pipe", "Broken pipe", "Stream removed", "Transport closed",
        "GOAWAY received", "endpoint shutdown", "Endpoint read failed"}) {
    EXPECT_EQ(Told(grpc::StatusCode::UNAVAILABLE, words), ended) << words;
  }
  EXPECT_EQ(ended, EndedConnection(kPeer));
  EXPECT_EQ(Told(grpc::StatusCode::UNAVAILABLE,
                 "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: "
                 "Failed to connect to remote host: Connection refused")
                .message(),
            "no daemon answers at unix:/run/acceld.sock");
  EXPECT_EQ(Told(grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"),
            absl::DeadlineExceededError("the daemon at unix:/run/acceld.sock does not answer"));
  EXPECT_EQ(Told(grpc::StatusCode::UNAVAILABLE, "keepalive watchdog timeout").message(),
            "the daemon at unix:/run/acceld.sock does not answer");
  EXPECT_EQ(Told(grpc::StatusCode::UNAVAILABLE, "Received RST_STREAM with error code 2").message(),
            "the daemon at unix:/run/acceld.sock broke off the call");
  EXPECT_EQ(Told(grpc::StatusCode::RESOURCE_EXHAUSTED, "Received message larger than max (9 vs. 8)")
                .message(),
            "refused: the message is larger than the daemon at unix:/run/acceld.sock takes");
  EXPECT_EQ(Told(grpc::StatusCode::UNAVAILABLE, "Received http2 header with status: 502").message(),
            "what answers at unix:/run/acceld.sock is no acceld daemon");
}

TEST(CallStatusTest, ACallThatNobodyHereHasCancelledIsBrokenOff) {
  for (const char* words : {"", "CANCELLED", "Cancelled on the server", "RST_STREAM"}) {
    EXPECT_EQ(Told(grpc::StatusCode::CANCELLED, words),
              absl::UnavailableError("the daemon at unix:/run/acceld.sock broke off the call"))
        << words;
    const grpc::Status status(grpc::StatusCode::CANCELLED, words);
    EXPECT_EQ(StatusOfCall(status, kPeer, /*cancelled_here=*/true),
              absl::CancelledError("the client was closed"));
    EXPECT_EQ(StatusOfCall(status, kPeer, /*cancelled_here=*/false),
              Told(grpc::StatusCode::CANCELLED, words));
  }
  EXPECT_TRUE(StatusOfCall(grpc::Status::OK, kPeer, /*cancelled_here=*/true).ok());
}

}  // namespace
}  // namespace acceld::client
