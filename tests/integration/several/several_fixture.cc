#include "tests/integration/several/several_fixture.h"

#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <regex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/check.h"
#include "common/crypto/sha256.h"
#include "tests/support/net/fake_names.h"

namespace acceld::testing {
namespace {

constexpr char kToken[] = "token-of-ann";

std::string IpOf(size_t daemon) { return absl::StrCat("127.0.0.", daemon + 2); }

}  // namespace

SeveralTest::SeveralTest()
    : authority_(folder_.path(), "authority"),
      certificate_(authority_.Issue("server", "subjectAltName=DNS:acceld.test")) {
  std::ofstream(folder_.path() + "/tokens")
      << "ann admin sha256:" << ToHex(Sha256Of(kToken)) << "\n";
}

void SeveralTest::TearDown() {
  if (!HasFailure()) return;
  for (const Daemon& daemon : daemons_) {
    GTEST_LOG_(INFO) << daemon.address << " logged:\n" << daemon.Log();
  }
}

void SeveralTest::StartDaemons(size_t count) {
  std::vector<std::string> ips;
  for (size_t i = 0; i < count; ++i) {
    const std::string folder = absl::StrCat(folder_.path(), "/", i);
    ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
    // The first is given a port, which the others take at addresses of theirs.
    absl::StatusOr<Daemon> daemon =
        StartDaemon(folder, {"--listen", absl::StrCat("tls://", IpOf(i), ":", port_), "--tls-cert",
                             certificate_.certificate, "--tls-key", certificate_.key,
                             "--access-tokens", folder_.path() + "/tokens"});
    ASSERT_TRUE(daemon.ok()) << daemon.status();
    daemons_.push_back(*std::move(daemon));
    ips.push_back(IpOf(i));
    std::smatch match;
    const std::string log = daemons_.front().Log();
    ASSERT_TRUE(std::regex_search(log, match, std::regex("tls://127\\.0\\.0\\.2:([0-9]+)"))) << log;
    port_ = static_cast<uint16_t>(std::stoi(match[1].str()));
  }
  SetName("acceld.test", std::move(ips));
}

void SeveralTest::Kill(size_t daemon) {
  daemons_[daemon].process.Signal(SIGKILL);
  (void)daemons_[daemon].process.Wait();
}

void SeveralTest::Drain(size_t daemon) {
  auto admin = client::Admin::Connect({.address = SocketOf(daemon)});
  ASSERT_TRUE(admin.ok()) << admin.status();
  ASSERT_TRUE((*admin)->Drain().ok());
}

client::ServerStats SeveralTest::StatsOf(size_t daemon) const {
  auto admin = client::Admin::Connect({.address = SocketOf(daemon)});
  ACCELD_CHECK(admin.ok());  // The test has it running.
  const absl::StatusOr<client::ServerStats> stats = (*admin)->GetStats();
  EXPECT_TRUE(stats.ok()) << stats.status();
  return stats.ok() ? *stats : client::ServerStats();
}

std::string SeveralTest::ListOfSockets() const {
  return absl::StrJoin(daemons_, ",", [](std::string* out, const Daemon& daemon) {
    absl::StrAppend(out, daemon.address);
  });
}

std::string SeveralTest::EndpointOf(size_t daemon) const {
  return absl::StrCat(IpOf(daemon), ":", port_);
}

std::string SeveralTest::NameAddress(const std::string& name) const {
  return absl::StrCat("tls://", name, ":", port_);
}

std::string SeveralTest::TlsAddressOf(size_t daemon) const {
  return absl::StrCat("tls://acceld.test@", EndpointOf(daemon));
}

std::vector<uint64_t> SeveralTest::Sessions() const {
  std::vector<uint64_t> sessions;
  for (size_t i = 0; i < daemons_.size(); ++i) sessions.push_back(StatsOf(i).sessions);
  return sessions;
}

size_t SeveralTest::DaemonOf(const client::Client& client) const {
  for (size_t i = 0; i < daemons_.size(); ++i) {
    if (client.address() == TlsAddressOf(i) || client.address() == SocketOf(i)) return i;
  }
  ADD_FAILURE() << client.address() << " is no daemon's address";
  return daemons_.size();
}

client::ConnectOptions SeveralTest::Options(const std::string& address) const {
  return {.address = address,
          .credentials = {.token = kToken, .ca_file = authority_.certificate()},
          .client_name = "test",
          .connect_timeout = std::chrono::seconds(60)};
}

std::shared_ptr<client::Client> SeveralTest::Connect(const std::string& address) const {
  auto client = client::Client::Connect(Options(address));
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

void ExpectWorks(client::Client& client) {
  constexpr int64_t kSize = 1 << 18;
  const auto program = client::Program::FromText(
      absl::StrCat("func.func @main(%x: tensor<", kSize, "xf32>) -> tensor<", kSize,
                   "xf32> {\n  %y = stablehlo.add %x, %x : tensor<", kSize,
                   "xf32>\n  return %y : tensor<", kSize, "xf32>\n}\n"));
  ASSERT_TRUE(program.ok()) << program.status();
  const ir::TensorType type{ir::DType::kF32, {kSize}};
  std::vector<float> values(kSize), doubled(kSize);
  for (int64_t i = 0; i < kSize; ++i) {
    values[i] = static_cast<float>(i);
    doubled[i] = static_cast<float>(2 * i);
  }
  const auto x = client.Upload(ir::Literal::FromValues<float>(type, values));
  ASSERT_TRUE(x.ok()) << x.status();
  const auto y = client.Execute(*program, {*x});
  ASSERT_TRUE(y.ok()) << y.status();
  const absl::StatusOr<ir::Literal> value = y->front().Fetch();
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_TRUE(*value == ir::Literal::FromValues<float>(type, doubled));
}

}  // namespace acceld::testing
