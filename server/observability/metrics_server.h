#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/engine/introspection.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::observability {

// Parses the address on which to serve metrics, "HOST:PORT", ":PORT" or "PORT", and returns it in
// complete form. HOST is an IPv4 address, an IPv6 address in brackets or "localhost"; without HOST
// the server listens on 127.0.0.1. Port 0 means a free port. INVALID_ARGUMENT says what was
// expected.
absl::StatusOr<std::string> ParseMetricsAddress(absl::string_view text);

class HttpServer;

// Serves over HTTP, on a thread of its own: /metrics in the text format of Prometheus, the status
// page at / and /status, and its contents as JSON at /status.json. Slow clients delay nobody.
class MetricsServer {
 public:
  // Starts the server. `address` is parsed by ParseMetricsAddress. `accepting` returns whether the
  // daemon accepts new sessions; it is called on the server's thread. Engine, instruments and
  // whatever `accepting` uses must outlive the server. UNAVAILABLE when it cannot listen there.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(const std::string& address,
                                                              const engine::Introspection& engine,
                                                              const RpcInstruments& rpc,
                                                              std::string version,
                                                              std::function<bool()> accepting);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // Returns "http://HOST:PORT/metrics", with the actual port.
  const std::string& url() const { return url_; }

 private:
  MetricsServer(std::unique_ptr<HttpServer> server, std::string url);

  const std::unique_ptr<HttpServer> server_;
  const std::string url_;
};

}  // namespace acceld::observability
