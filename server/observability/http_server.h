#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::observability {

// What is served at one path.
struct HttpPage {
  std::string content_type;
  std::string body;
  std::string headers;  // more of them, each with its "\r\n"
};

// The least of an HTTP/1.1 server: GET and HEAD of a few pages, one request on a connection, all on
// one thread that waits for no client. A connection that has not got its answer in time is closed,
// and the oldest one when there are too many, so those who are slow lock nobody out.
//
// Not a general server: a web server library's worker threads come with stacks that are too small
// for a process with as much thread-local data as this one.
class HttpServer {
 public:
  struct Options {
    size_t max_connections = 32;
    std::chrono::milliseconds patience{5000};  // for request and answer together
  };
  // Gives the page of a path, or NOT_FOUND; called on the server's thread.
  using Handler = std::function<absl::StatusOr<HttpPage>(absl::string_view path)>;

  // `host` is an IPv4 or IPv6 address, without brackets; a port of 0 stands for a free one.
  // UNAVAILABLE when it cannot listen there.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& host, uint16_t port,
                                                           Handler handler, Options options);
  // Closes all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const { return port_; }

 private:
  struct Connection {
    UniqueFd file;
    std::chrono::steady_clock::time_point deadline;
    std::string request;
    std::string answer;  // empty until the request is whole
    size_t sent_bytes = 0;

    bool writes() const { return sent_bytes < answer.size(); }
  };

  HttpServer(Handler handler, Options options, UniqueFd listener, UniqueFd wake, uint16_t port);

  void Run();
  void Accept();
  // False when the connection is to be closed.
  bool Serve(Connection& connection);
  std::string AnswerTo(absl::string_view request) const;

  const Handler handler_;
  const Options options_;
  const UniqueFd listener_, wake_;  // `wake_` becomes readable when the server is to stop
  const uint16_t port_;
  std::list<Connection> connections_;  // The oldest first; the server's thread.
  std::thread thread_;
};

}  // namespace acceld::observability
