#include "server/observability/metrics_server.h"

#include <arpa/inet.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "prometheus/text_serializer.h"
#include "server/observability/collector.h"
#include "server/observability/http_server.h"
#include "server/observability/status_page/json.h"
#include "server/observability/status_page/page.h"
#include "server/observability/status_page/status.h"

namespace acceld::observability {
namespace {

// Headers for pages that must not be cached or read by other sites.
constexpr char kPageHeaders[] =
    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n";

absl::StatusOr<HttpPage> PageAt(absl::string_view path, const Collector& collector,
                                const StatusSource& status) {
  if (path == "/metrics") {
    return HttpPage{"text/plain; version=0.0.4; charset=utf-8",
                    prometheus::TextSerializer().Serialize(collector.Collect())};
  }
  if (path == "/status.json") {
    return HttpPage{"application/json", RenderJson(status.Gather()), kPageHeaders};
  }
  if (path == "/" || path == "/status") {
    return HttpPage{"text/html; charset=utf-8", RenderPage(status.Gather()),
                    absl::StrCat(kPageHeaders, "Content-Security-Policy: ", PagePolicy(), "\r\n")};
  }
  return absl::NotFoundError(path);
}

bool IsIpAddress(const std::string& host) {
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return true;
  absl::string_view inner = host;
  if (!absl::ConsumePrefix(&inner, "[") || !absl::ConsumeSuffix(&inner, "]")) return false;
  in6_addr v6;
  return inet_pton(AF_INET6, std::string(inner).c_str(), &v6) == 1;
}

std::pair<std::string, std::string> SplitHost(absl::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return {"", std::string(text)};
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace

absl::StatusOr<std::string> ParseMetricsAddress(absl::string_view text) {
  auto [host, port_text] = SplitHost(text);
  if (host.empty() || host == "localhost") host = "127.0.0.1";
  uint32_t port = 0;
  if (!IsIpAddress(host) || !absl::SimpleAtoi(port_text, &port) || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text,
                     "' is not an address; write it like 127.0.0.1:9464, [::1]:9464, "
                     "0.0.0.0:9464 or 9464"));
  }
  return absl::StrCat(host, ":", port);
}

MetricsServer::MetricsServer(std::unique_ptr<HttpServer> server, std::string url)
    : server_(std::move(server)), url_(std::move(url)) {}

MetricsServer::~MetricsServer() = default;

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(
    const std::string& address, const engine::Introspection& engine, const RpcInstruments& rpc,
    std::string version, std::function<bool()> accepting) {
  ACCELD_ASSIGN_OR_RETURN(const std::string complete, ParseMetricsAddress(address));
  const auto [host, port_text] = SplitHost(complete);
  uint32_t port = 0;
  (void)absl::SimpleAtoi(port_text, &port);
  const auto collector = std::make_shared<Collector>(engine, rpc, version);
  const auto status =
      std::make_shared<StatusSource>(engine, std::move(version), std::move(accepting));
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
      std::string(absl::StripPrefix(absl::StripSuffix(host, "]"), "[")),
      static_cast<uint16_t>(port),
      [collector, status](absl::string_view path) { return PageAt(path, *collector, *status); },
      {});
  if (!server.ok()) return Annotate(server.status(), "metrics");
  std::string url = absl::StrCat("http://", host, ":", (*server)->port(), "/metrics");
  return std::unique_ptr<MetricsServer>(new MetricsServer(*std::move(server), std::move(url)));
}

}  // namespace acceld::observability
