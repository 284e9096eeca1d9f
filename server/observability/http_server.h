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

// The response to a request for one path.
struct HttpPage {
  std::string content_type;
  std::string body;
  // Further header lines, each with its "\r\n".
  std::string headers;
};

// A minimal HTTP/1.1 server: GET and HEAD for a few pages, one request per connection, all on one
// thread with non-blocking sockets. A connection that is not finished in time is closed, and so is
// the oldest one when there are too many, so that slow clients cannot lock out others.
//
// The worker threads of a web server library have stacks that are too small for a process with as
// much thread-local data as this one, so none is used.
class HttpServer {
 public:
  struct Options {
    size_t max_connections = 32;
    std::chrono::milliseconds patience{5000};  // the time for request and answer together
  };
  // Returns the page of a path, or NOT_FOUND. Called on the server's thread.
  using Handler = std::function<absl::StatusOr<HttpPage>(absl::string_view path)>;

  // Starts a server. `host` is an IPv4 or IPv6 address, without brackets; port 0 means a free port.
  // UNAVAILABLE when it cannot listen there.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& host, uint16_t port,
                                                           Handler handler, Options options);
  // Closes all connections. Waits for a call of the handler to return.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const { return port_; }

 private:
  struct Connection {
    UniqueFd file;
    std::chrono::steady_clock::time_point deadline;
    std::string request;
    std::string answer;  // empty until the request is complete
    size_t sent_bytes = 0;

    bool writes() const { return sent_bytes < answer.size(); }
  };

  HttpServer(Handler handler, Options options, UniqueFd listener, UniqueFd wake, uint16_t port);

  void Run();
  void Accept();
  // Continues a connection that is ready. Returns false when it must be closed.
  bool Serve(Connection& connection);
  std::string AnswerTo(absl::string_view request) const;

  const Handler handler_;
  const Options options_;
  const UniqueFd listener_, wake_;  // `wake_` becomes readable when the server is to stop
  const uint16_t port_;
  std::list<Connection> connections_;  // the oldest first; used by the server's thread only
  std::thread thread_;
};

}  // namespace acceld::observability
