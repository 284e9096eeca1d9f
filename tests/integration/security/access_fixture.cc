#include "tests/integration/security/access_fixture.h"

#include <fstream>
#include <regex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/crypto/sha256.h"
#include "tests/support/daemon/http.h"

namespace acceld::testing {
namespace {

std::string FindInLog(const std::string& log, const std::string& expression) {
  std::smatch match;
  return std::regex_search(log, match, std::regex(expression)) ? match[1].str() : "";
}

}  // namespace

grpc::Status ListDevices(RawClient& raw) {
  grpc::ClientContext context;
  v1::ListDevicesReply reply;
  return raw.stub().ListDevices(&context, v1::ListDevicesRequest(), &reply);
}

AccessTest::AccessTest()
    : authority_(folder_.path(), "authority"), server_(authority_.IssueForServer("server")) {
  for (const auto& [name, role] : {std::pair<std::string, std::string>("ann", "user"),
                                   {"bob", "user"},
                                   {"pia", "publisher"},
                                   {"ada", "admin"}}) {
    roles_[name] = role;
    tokens_[name] = absl::StrCat("token-of-", name);
  }
  WriteTokens();
}

void AccessTest::WriteTokens() {
  const std::string fresh = tokens_file_ + ".new";
  {
    std::ofstream file(fresh);
    for (const auto& [name, token] : tokens_) {
      file << name << " " << roles_.at(name) << " sha256:" << ToHex(Sha256Of(token)) << "\n";
    }
  }
  ASSERT_EQ(rename(fresh.c_str(), tokens_file_.c_str()), 0);
}

void AccessTest::StartDaemon(std::vector<std::string> flags) {
  flags.insert(flags.end(), {"--metrics-listen", "127.0.0.1:0"});
  log_begin_ = daemon_ != nullptr ? daemon_->Log().size() : 0;
  ASSERT_NO_FATAL_FAILURE(Start(flags));
  ASSERT_TRUE(Eventually([this] { return metrics_port() != 0; })) << daemon_->Log();
}

void AccessTest::StartWithTls(std::vector<std::string> flags) {
  flags.insert(flags.end(), {"--listen", "tls://127.0.0.1:0", "--tls-cert", server_.certificate,
                             "--tls-key", server_.key, "--tls-client-ca", authority_.certificate(),
                             "--access-tokens", tokens_file_});
  StartDaemon(std::move(flags));
}

uint16_t AccessTest::metrics_port() {
  const std::string port =
      FindInLog(daemon_->Log().substr(log_begin_), "http://127\\.0\\.0\\.1:([0-9]+)/metrics");
  return port.empty() ? 0 : static_cast<uint16_t>(std::stoi(port));
}

std::string AccessTest::tcp_target() {
  return FindInLog(daemon_->Log().substr(log_begin_),
                   "listening on (?:tls://)?(127\\.0\\.0\\.1:[0-9]+)");
}

std::unique_ptr<RawClient> AccessTest::WithToken(const std::string& token) {
  return std::make_unique<RawClient>(
      tcp_target(), Login{.token = token, .ca_pem = ReadText(authority_.certificate())});
}

std::unique_ptr<RawClient> AccessTest::With(const CertificateFiles& files) {
  return std::make_unique<RawClient>(tcp_target(),
                                     Login{.ca_pem = ReadText(authority_.certificate()),
                                           .certificate_pem = ReadText(files.certificate),
                                           .key_pem = ReadText(files.key)});
}

std::shared_ptr<client::Client> AccessTest::ConnectAs(const std::string& name) {
  auto client = client::Client::Connect(
      {.address = tls_address(),
       .credentials = {.token = tokens_.at(name), .ca_file = authority_.certificate()},
       .client_name = name});
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

std::unique_ptr<client::Admin> AccessTest::AdminAs(const std::string& name) {
  auto admin = client::Admin::Connect(
      {.address = tls_address(),
       .credentials = {.token = tokens_.at(name), .ca_file = authority_.certificate()}});
  EXPECT_TRUE(admin.ok()) << admin.status();
  return admin.ok() ? *std::move(admin) : nullptr;
}

double AccessTest::Metric(const std::string& sample) {
  const absl::StatusOr<HttpReply> reply = HttpGet(metrics_port(), "/metrics");
  EXPECT_TRUE(reply.ok()) << reply.status();
  if (!reply.ok()) return 0;
  auto samples = ParsePrometheusText(reply->body);
  EXPECT_TRUE(samples.ok()) << samples.status();
  return samples.ok() ? (*samples)[sample] : 0;
}

double AccessTest::Refusals(const std::string& reason) {
  return Metric(absl::StrCat("acceld_refusals_total{reason=\"", reason, "\"}"));
}

void AccessTest::ExpectRefused(const std::function<grpc::Status()>& call, grpc::StatusCode code,
                               const std::string& reason, const std::string& log) {
  SCOPED_TRACE(absl::StrCat(reason, ": ", log));
  const double before = Refusals(reason);
  const size_t logged = daemon_->Log().size();
  const grpc::Status status = call();
  EXPECT_EQ(status.error_code(), code) << status.error_message();
  EXPECT_EQ(Refusals(reason), before + 1);
  EXPECT_THAT(daemon_->Log().substr(logged),
              ::testing::ContainsRegex(absl::StrCat("refused reason=", reason, " ", log)));
}

}  // namespace acceld::testing
