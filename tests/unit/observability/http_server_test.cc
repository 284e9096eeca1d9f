#include "server/observability/http_server.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/http.h"
#include "tests/support/eventually.h"

namespace acceld::observability {
namespace {

using ::testing::HasSubstr;
using testing::HttpGet;
using ::testing::StartsWith;
using testing::TcpConnection;

class HttpServerTest : public ::testing::Test {
 protected:
  void SetUp() override { StartServer({}); }
  void StartServer(HttpServer::Options options) {
    auto server = HttpServer::Start(
        "127.0.0.1", 0,
        [this](absl::string_view path) -> absl::StatusOr<HttpPage> {
          if (path != "/page") return absl::NotFoundError(path);
          return HttpPage{"text/plain", page_, "X-More: 1\r\n"};
        },
        options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  std::string Exchange(absl::string_view request) {
    absl::StatusOr<TcpConnection> connection = TcpConnection::Open(server_->port());
    if (!connection.ok() || !connection->Send(request).ok()) return "";
    return connection->ReadToEnd();
  }

  std::string page_ = "hello\n";
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, GivesPages) {
  EXPECT_EQ(HttpGet(server_->port(), "/page")->body, "hello\n");
  EXPECT_EQ(HttpGet(server_->port(), "/page?x=1")->code, 200);
  EXPECT_EQ(HttpGet(server_->port(), "/other")->code, 404);
  EXPECT_THAT(Exchange("HEAD /page HTTP/1.1\r\n\r\n"), ::testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(Exchange("HEAD /page HTTP/1.1\r\n\r\n"), HasSubstr("\r\nX-More: 1\r\n"));
}

TEST_F(HttpServerTest, LargePagesArriveWhole) {
  page_ = std::string(32 << 20, 'x');
  EXPECT_TRUE(HttpGet(server_->port(), "/page")->body == page_);
}

TEST_F(HttpServerTest, RequestsMayComeByteByByte) {
  absl::StatusOr<TcpConnection> connection = TcpConnection::Open(server_->port());
  ASSERT_TRUE(connection.ok());
  for (const char byte : std::string("GET /page HTTP/1.1\r\nHost: x\r\n\r\n")) {
    ASSERT_TRUE(connection->Send(absl::string_view(&byte, 1)).ok());
  }
  EXPECT_THAT(connection->ReadToEnd(), HasSubstr("hello"));
}

TEST_F(HttpServerTest, WhatIsNoRequestIsSaidSo) {
  EXPECT_THAT(Exchange("\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Exchange("GET /page\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Exchange("GET /page HTTP/2\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Exchange(absl::string_view("\0\xff\r\n\r\n", 6)), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Exchange("POST /page HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Exchange("POST /page HTTP/1.1\r\n\r\n"), HasSubstr("\r\nAllow: GET, HEAD\r\n"));
  EXPECT_THAT(Exchange(std::string(20'000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, TheOldestConnectionGivesWayToTheNewest) {
  StartServer({.max_connections = 4, .patience = std::chrono::hours(1)});
  page_ = std::string(32 << 20, 'x');
  std::vector<TcpConnection> slow;
  for (int i = 0; i < 8; ++i) {
    absl::StatusOr<TcpConnection> connection = TcpConnection::Open(server_->port());
    ASSERT_TRUE(connection.ok());
    // Half a request, or an answer that is not read.
    ASSERT_TRUE(connection->Send(i % 2 ? "GET /pa" : "GET /page HTTP/1.1\r\n\r\n").ok());
    slow.push_back(*std::move(connection));
  }
  EXPECT_EQ(HttpGet(server_->port(), "/page")->body.size(), page_.size());
}

TEST_F(HttpServerTest, PatienceEnds) {
  StartServer({.max_connections = 4, .patience = std::chrono::milliseconds(20)});
  EXPECT_EQ(Exchange("GET /pa"), "");
}

TEST_F(HttpServerTest, AnAddressInUseIsRefused) {
  const auto second = HttpServer::Start("127.0.0.1", server_->port(), {}, {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(absl::StrCat(server_->port())));
}

TEST_F(HttpServerTest, ConnectionsThatAreLeftDoNotHoldUpTheEnd) {
  absl::StatusOr<TcpConnection> connection = TcpConnection::Open(server_->port());
  ASSERT_TRUE(connection->Send("GET /pa").ok());
  server_.reset();
  EXPECT_EQ(connection->ReadToEnd(), "");
}

}  // namespace
}  // namespace acceld::observability
