#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/engine/introspection.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::observability {

// Where metrics are served: "HOST:PORT", ":PORT" or "PORT", made complete. HOST is an IPv4 address,
// an IPv6 address in brackets or "localhost"; without it the loopback interface. A port of 0 stands
// for a free one. INVALID_ARGUMENT says what was expected.
absl::StatusOr<std::string> ParseMetricsAddress(absl::string_view text);

class HttpServer;

// Serves over HTTP, on a thread of its own: /metrics in the text format of Prometheus, the status
// page at / and /status, and what it says as JSON at /status.json. Those who read slowly hold
// nobody up.
class MetricsServer {
 public:
  // `address` as ParseMetricsAddress takes it. `accepting` says whether the daemon takes new
  // sessions; it is called on the server's thread. Engine, instruments and what that needs outlive
  // the server. UNAVAILABLE when it cannot listen there.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(const std::string& address,
                                                              const engine::Introspection& engine,
                                                              const RpcInstruments& rpc,
                                                              std::string version,
                                                              std::function<bool()> accepting);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // "http://HOST:PORT/metrics", with the port that was chosen.
  const std::string& url() const { return url_; }

 private:
  MetricsServer(std::unique_ptr<HttpServer> server, std::string url);

  const std::unique_ptr<HttpServer> server_;
  const std::string url_;
};

}  // namespace acceld::observability
