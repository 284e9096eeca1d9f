#include "tests/bench/protocol/servers.h"

#include <cstdio>
#include <fstream>
#include <regex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/crypto/sha256.h"

namespace acceld::bench {
namespace {

constexpr char kToken[] = "the-token-of-the-benchmark";
// As much as a daemon prepares by default on a machine of 32 GiB; StartDaemon would prepare none,
// and each large array would wait for pages of the system.
constexpr char kPreparedMemory[] = "1073741824";

testing::Daemon StartListening(const std::string& folder,
                               const testing::CertificateFiles& certificate) {
  const std::string tokens = folder + "/tokens";
  std::ofstream(tokens) << "bench admin sha256:" << ToHex(Sha256Of(kToken)) << "\n";
  auto daemon = testing::StartDaemon(
      folder, {"--listen", "127.0.0.1:0", "--listen", "tls://127.0.0.1:0", "--tls-cert",
               certificate.certificate, "--tls-key", certificate.key, "--access-tokens", tokens,
               "--prepared-memory", kPreparedMemory});
  if (!daemon.ok()) std::fprintf(stderr, "%s\n", daemon.status().ToString().c_str());
  ACCELD_CHECK(daemon.ok());
  return *std::move(daemon);
}

// Finds the part in brackets of `expression` in `text`.
std::string Find(const std::string& text, const std::string& expression) {
  std::smatch match;
  ACCELD_CHECK(std::regex_search(text, match, std::regex(expression)));
  return match[1].str();
}

}  // namespace

BenchDaemon::BenchDaemon(const std::string& folder, const testing::Authority& authority,
                         const testing::CertificateFiles& certificate)
    : authority_(authority.certificate()), daemon_(StartListening(folder, certificate)) {
  const std::string log = daemon_.Log();
  tcp_address_ = Find(log, "listening on (127\\.0\\.0\\.1:[0-9]+)");
  tls_address_ = Find(log, "listening on (tls://127\\.0\\.0\\.1:[0-9]+)");
}

client::ConnectOptions BenchDaemon::Over(Transport transport) const {
  switch (transport) {
    case Transport::kUnix:
      return {
          .address = daemon_.address, .lease = std::chrono::seconds(30), .local_transport = false};
    case Transport::kTcp:
      return {.address = tcp_address_, .credentials = {.token = kToken}};
    case Transport::kTls:
      return {.address = tls_address_, .credentials = {.token = kToken, .ca_file = authority_}};
  }
  ACCELD_CHECK(false);
  return {};
}

client::ConnectOptions BenchDaemon::Local() const { return {.address = daemon_.address}; }

}  // namespace acceld::bench
