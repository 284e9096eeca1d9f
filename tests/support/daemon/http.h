#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

// HTTP as small as tests need it. One thread.
namespace acceld::testing {

// A TCP connection to this machine, closed with this object.
class TcpConnection {
 public:
  static absl::StatusOr<TcpConnection> Open(uint16_t port);
  TcpConnection(TcpConnection&& other) noexcept;
  TcpConnection& operator=(TcpConnection&&) = delete;
  ~TcpConnection();

  absl::Status Send(absl::string_view bytes);
  // What comes until the other side closes; blocks.
  std::string ReadToEnd();

 private:
  explicit TcpConnection(int fd) : fd_(fd) {}
  int fd_ = -1;
};

struct HttpReply {
  int code = 0;
  std::string body;
};
// GET on 127.0.0.1. Errors: no connection, or an answer that is not HTTP.
absl::StatusOr<HttpReply> HttpGet(uint16_t port, const std::string& path);

// The samples of a page in the text format of Prometheus: "name" or "name{label="value",...}" as it
// stands there -> value. INVALID_ARGUMENT quotes the first line that is not in the format, or a
// sample whose metric has no TYPE.
absl::StatusOr<std::map<std::string, double>> ParsePrometheusText(absl::string_view text);

}  // namespace acceld::testing
