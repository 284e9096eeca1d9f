#include "tests/integration/daemon/daemon_fixture.h"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "common/check.h"

namespace acceld::testing {

const char kIncrementText[] = R"(
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<16xf32>
  %y = stablehlo.add %x, %one : tensor<16xf32>
  return %y : tensor<16xf32>
}
)";

const char kCountText[] = R"(
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.while(%i = %zero) : tensor<i64>
    cond {
      %c = stablehlo.compare NE, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %j : tensor<i64>
    }
  return %r : tensor<i64>
}
)";

int64_t CountFor(std::chrono::milliseconds time) {
  const char* const device = std::getenv("ACCELD_DEVICE");
  const bool is_gpu = device != nullptr && absl::StartsWith(device, "cuda");
  return time.count() * (is_gpu ? 200 : 200'000);
}

ir::Literal Floats(std::vector<float> values) {
  const auto size = static_cast<int64_t>(values.size());
  return ir::Literal::FromValues<float>({ir::DType::kF32, {size}}, values);
}

ir::Literal Int64(int64_t value) {
  return ir::Literal::Filled({ir::DType::kI64, {}}, static_cast<double>(value));
}

client::Program Parse(absl::string_view text) {
  absl::StatusOr<client::Program> program = client::Program::FromText(text);
  ACCELD_CHECK(program.ok());  // The texts are the tests' own.
  return *std::move(program);
}

void DaemonTest::TearDown() {
  if (HasFailure() && daemon_ != nullptr)
    GTEST_LOG_(INFO) << "the daemon's log:\n" << daemon_->Log();
}

void DaemonTest::Start(const std::vector<std::string>& flags) {
  admin_.reset();
  daemon_.reset();
  absl::StatusOr<Daemon> daemon = StartDaemon(folder_.path(), flags);
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  daemon_ = std::make_unique<Daemon>(*std::move(daemon));
}

int DaemonTest::Stop() {
  daemon_->process.Signal(SIGTERM);
  return daemon_->process.Wait();
}

std::shared_ptr<client::Client> DaemonTest::Connect() {
  auto client = client::Client::Connect({.address = address(), .client_name = "test"});
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

client::Admin& DaemonTest::Admin() {
  if (admin_ == nullptr) {
    auto admin = client::Admin::Connect({.address = address()});
    ACCELD_CHECK(admin.ok());  // The daemon has answered before.
    admin_ = *std::move(admin);
  }
  return *admin_;
}

client::ExecutionInfo DaemonTest::RunOnce(const client::Program& program,
                                          const ir::Literal& argument,
                                          const ir::Literal& expected) {
  const std::shared_ptr<client::Client> client = Connect();
  if (client == nullptr) return {};
  const absl::StatusOr<client::Array> x = client->Upload(argument);
  EXPECT_TRUE(x.ok()) << x.status();
  if (!x.ok()) return {};
  const auto results = client->Execute(program, {*x});
  EXPECT_TRUE(results.ok()) << results.status();
  if (!results.ok()) return {};
  const absl::StatusOr<ir::Literal> value = results->front().Fetch();
  EXPECT_TRUE(value.ok()) << value.status();
  if (!value.ok()) return {};
  EXPECT_TRUE(*value == expected);
  return results->front().Execution().value();
}

client::ServerStats DaemonTest::Stats() {
  const absl::StatusOr<client::ServerStats> stats = Admin().GetStats();
  EXPECT_TRUE(stats.ok()) << stats.status();
  return stats.ok() ? *stats : client::ServerStats();
}

std::vector<client::DeviceInfo> DaemonTest::Devices() {
  const absl::StatusOr<std::vector<client::DeviceInfo>> devices = Admin().ListDevices();
  EXPECT_TRUE(devices.ok()) << devices.status();
  return devices.ok() ? *devices : std::vector<client::DeviceInfo>();
}

std::vector<client::SessionInfo> DaemonTest::Sessions() {
  const absl::StatusOr<std::vector<client::SessionInfo>> sessions = Admin().ListSessions();
  EXPECT_TRUE(sessions.ok()) << sessions.status();
  return sessions.ok() ? *sessions : std::vector<client::SessionInfo>();
}

bool DaemonTest::IsQueued(uint64_t executions) {
  return Eventually([&] {
    // Devices count uploads as well, and the upload of an argument may be seen before its execution
    // has arrived.
    uint64_t arrived = 0;
    for (const client::SessionInfo& session : Sessions()) arrived += session.executions;
    if (arrived < executions) return false;
    const std::vector<client::DeviceInfo> devices = Devices();
    uint64_t most = 0;
    for (const client::DeviceInfo& device : devices) most = std::max(most, device.queued);
    return !devices.empty() && most == executions;
  });
}

CommandResult DaemonTest::Accelctl(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {BinDir() + "/accelctl", "--address", address()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunCommand(argv);
}

Process DaemonTest::StartClient(const std::string& mode, std::vector<std::string> arguments) {
  const char* binary = getenv("ACCELD_CLIENT_PROCESS");
  ACCELD_CHECK(binary != nullptr);  // set by the build for every test that needs it
  std::vector<std::string> argv = {binary, mode, address()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  absl::StatusOr<Process> process =
      Process::Start(std::move(argv), folder_.path() + "/clients.log");
  ACCELD_CHECK(process.ok());
  return *std::move(process);
}

std::string DaemonTest::ClientsLog() const { return ReadText(folder_.path() + "/clients.log"); }

std::optional<client::SessionInfo> DaemonTest::FindSession(const std::string& name) {
  for (const client::SessionInfo& session : Sessions()) {
    if (session.client_name == name) return session;
  }
  return std::nullopt;
}

}  // namespace acceld::testing
