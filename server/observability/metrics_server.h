#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/engine/engine.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::observability {

// Where metrics are served: "HOST:PORT", ":PORT" or "PORT", made complete. HOST is an IPv4 address,
// an IPv6 address in brackets or "localhost"; without it the loopback interface. A port of 0 stands
// for a free one. INVALID_ARGUMENT says what was expected.
absl::StatusOr<std::string> ParseMetricsAddress(absl::string_view text);

class HttpServer;

// Serves /metrics over HTTP in the text format of Prometheus, on a thread of its own. Scrapers that
// are slow hold nobody up.
class MetricsServer {
 public:
  // `address` as ParseMetricsAddress takes it. Engine and instruments outlive the server.
  // UNAVAILABLE when it cannot listen there.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(const std::string& address,
                                                              const engine::Engine& engine,
                                                              const RpcInstruments& rpc,
                                                              std::string version);
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
