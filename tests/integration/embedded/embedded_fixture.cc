#include "tests/integration/embedded/embedded_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "client/embedded/retire_daemon.h"
#include "common/check.h"
#include "common/net/address.h"

namespace acceld::testing {

EmbeddedTest::EmbeddedTest() {
  const std::string run = folder_.path() + "/run";
  ACCELD_CHECK(mkdir(run.c_str(), 0700) == 0);
  setenv("XDG_RUNTIME_DIR", run.c_str(), 1);
  setenv("XDG_CACHE_HOME", (folder_.path() + "/cache").c_str(), 1);
  setenv("ACCELD_DAEMON", (BinDir() + "/acceld").c_str(), 1);
  setenv("ACCELD_PREPARED_MEMORY", "0", 1);
  setenv("ACCELD_CUDA_DEVICES", "none", 1);
  unsetenv("ACCELD_ADDRESS");
  unsetenv("ACCELD_AUTOSTART");
}

EmbeddedTest::~EmbeddedTest() {
  if (HasFailure()) GTEST_LOG_(INFO) << "the daemon's log:\n" << ReadText(log_path());
  if (IsAnybodyThere()) {
    (void)client::RetireIdleDaemon(address(), {}, std::chrono::seconds(30));
  }
}

std::string EmbeddedTest::log_path() const {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return folder_.path() + "/cache/acceld/" + host + ".log";
}

std::shared_ptr<client::Client> EmbeddedTest::Connect(const client::StartOptions& options) {
  absl::StatusOr<std::shared_ptr<client::Client>> client = client::ConnectOrStart({}, options);
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

uint64_t EmbeddedTest::Incarnation(const std::string& address) {
  const auto admin = client::Admin::Connect({.address = address});
  EXPECT_TRUE(admin.ok()) << admin.status();
  if (!admin.ok()) return 0;
  const absl::StatusOr<client::ServerStats> stats = (*admin)->GetStats();
  EXPECT_TRUE(stats.ok()) << stats.status();
  return stats.ok() ? stats->incarnation : 0;
}

bool EmbeddedTest::IsAnybodyThere() const { return Probe(*ParseAddress(address())).ok(); }

Process EmbeddedTest::StartClient(const std::string& mode, const std::string& name) {
  const char* const binary = getenv("ACCELD_EMBEDDED_CLIENT");
  ACCELD_CHECK(binary != nullptr);  // Set by the build.
  absl::StatusOr<Process> process =
      Process::Start({binary, mode}, folder_.path() + "/" + name + ".out");
  ACCELD_CHECK(process.ok());
  return *std::move(process);
}

std::string EmbeddedTest::OutputOf(const std::string& name) const {
  return ReadText(folder_.path() + "/" + name + ".out");
}

}  // namespace acceld::testing
