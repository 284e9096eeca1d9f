// One device, several sessions, and programs that would keep it.

#include <signal.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using ::testing::HasSubstr;
using ::testing::Not;

// f32[8] -> f32[8]; a window of 2^46 elements, most of them padding.
constexpr char kForeverWindowText[] = R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 70368744177664>, window_strides = array<i64: 1>,
      base_dilations = array<i64: 1>, window_dilations = array<i64: 1>,
      padding = dense<[[70368744177663, 0]]> : tensor<1x2xi64>}
      : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})";

// f32[n, n] -> f32[n, n]; some seconds in a library.
std::string EigenText(int n) {
  const std::string type = "tensor<" + std::to_string(n) + "x" + std::to_string(n) + "xf64>";
  const std::string values = "tensor<" + std::to_string(n) + "xf64>";
  return "func.func @main(%x: " + type + ") -> " + type +
         " {\n  %r:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%x) {api_version = 4 : i32, "
         "mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (" +
         type + ") -> (" + type + ", " + values + ", tensor<i32>)\n  return %r#0 : " + type +
         "\n}\n";
}

class DaemonSharingTest : public DaemonTest {
 protected:
  static Array Endless(Client& client) {
    return client.Execute(Parse(kCountText), {*client.Upload(Int64(kEndless))})->front();
  }
  static Array Forever(Client& client) {
    return client
        .Execute(Parse(kForeverWindowText), {*client.Upload(Floats(std::vector<float>(8, 1)))})
        ->front();
  }
  // Whether so many executions have begun.
  bool Runs(size_t count) {
    return Eventually([&] {
      const auto running = Admin().ListRunning();
      return running.ok() && running->size() == count;
    });
  }
  // Another session is served, with programs that nobody has compiled before and with known ones.
  void ExpectOthersAreServed() {
    static int size = 100;
    for (int i = 0; i < 2; ++i) {
      const std::string n = std::to_string(++size);
      const client::Program program =
          Parse("func.func @main(%x: tensor<" + n + "xf32>) -> tensor<" + n +
                "xf32> {\n  %0 = stablehlo.add %x, %x : tensor<" + n +
                "xf32>\n  return %0 : tensor<" + n + "xf32>\n}");
      for (int j = 0; j < 3; ++j) {
        RunOnce(program, Floats(std::vector<float>(static_cast<size_t>(size), 1)),
                Floats(std::vector<float>(static_cast<size_t>(size), 2)));
      }
    }
  }
};

TEST_F(DaemonSharingTest, EndlessProgramsHoldUpNobody) {
  ASSERT_NO_FATAL_FAILURE(Start());
  std::vector<std::shared_ptr<Client>> greedy;
  std::vector<Array> endless;
  for (int i = 0; i < 3; ++i) {
    greedy.push_back(Connect());
    endless.push_back(i == 2 ? Forever(*greedy[i]) : Endless(*greedy[i]));
  }
  ASSERT_TRUE(Runs(3));
  ExpectOthersAreServed();
  for (Array& array : endless) {
    ASSERT_TRUE(array.Cancel().ok());
    EXPECT_EQ(array.Await().code(), absl::StatusCode::kCancelled);
  }
  EXPECT_TRUE(Runs(0));
}

TEST_F(DaemonSharingTest, WhatRunsIsListedWithItsSession) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<Client> client = Connect();
  const Array array = Endless(*client);
  ASSERT_TRUE(Runs(1));
  const client::RunningExecution running = Admin().ListRunning()->front();
  const std::vector<client::SessionInfo> sessions = Sessions();
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(running.session, sessions[0].id);
  EXPECT_EQ(running.identity, sessions[0].identity);
  EXPECT_EQ(running.program, "main");
  EXPECT_EQ(running.state, RunningExecution::State::kRuns);
  const std::string table = Accelctl({"sessions"}).output;
  EXPECT_THAT(table, HasSubstr("on device"));
  EXPECT_THAT(table, HasSubstr("runs"));
  EXPECT_EQ(Accelctl({"kill", std::to_string(running.session)}).exit_code, 0);
  EXPECT_EQ(array.Await().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(Runs(0));
  EXPECT_THAT(Accelctl({"sessions"}).output, Not(HasSubstr("on device")));
}

TEST_F(DaemonSharingTest, ADeadClientsProgramsEnd) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string path = folder_.path() + "/forever.mlir";
  std::ofstream(path) << kForeverWindowText;
  for (int i = 0; i < 3; ++i) {
    Process client = *Process::Start(
        {BinDir() + "/accelctl", "--address", address(), "run", path, "--arg", "f32[8]=iota"},
        folder_.path() + "/client.log");
    ASSERT_TRUE(Runs(1));
    client.Signal(SIGKILL);
    (void)client.Wait();
    EXPECT_TRUE(Runs(0));
  }
  ExpectOthersAreServed();
}

TEST_F(DaemonSharingTest, ADeadlineEndsEveryKindOfLoop) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<Client> client = Connect();
  client::ExecuteOptions options;
  options.timeout = std::chrono::milliseconds(300);
  const Array array = client
                          ->Execute(Parse(kForeverWindowText),
                                    {*client->Upload(Floats(std::vector<float>(8, 1)))}, 0, options)
                          ->front();
  EXPECT_EQ(array.Await().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(Runs(0));
  ExpectOthersAreServed();
}

TEST_F(DaemonSharingTest, ALibraryThatCannotBeInterruptedHoldsUpNeitherOthersNorTheEnd) {
  ASSERT_NO_FATAL_FAILURE(Start({"--shutdown-grace", "0.2"}));
  constexpr int kSize = 3000;  // half a minute
  auto greedy = Connect();
  std::vector<double> values(static_cast<size_t>(kSize) * kSize);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7919 % 1000);
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  const ir::Literal matrix =
      *ir::Literal::FromBytes({ir::DType::kF64, {kSize, kSize}}, std::move(bytes));
  Array array = greedy->Execute(Parse(EigenText(kSize)), {*greedy->Upload(matrix)})->front();
  ASSERT_TRUE(Runs(1));
  ExpectOthersAreServed();
  ASSERT_TRUE(array.Cancel().ok());
  EXPECT_EQ(array.Await().code(), absl::StatusCode::kCancelled);
  ExpectOthersAreServed();
  // It has not heard of it. An admin may try, too, also when the session is gone.
  const auto running = Admin().ListRunning();
  ASSERT_TRUE(running.ok());
  if (!running->empty()) {
    EXPECT_EQ(running->front().state, RunningExecution::State::kEnding);
    greedy.reset();
    const absl::Status killed = Admin().KillSession(running->front().session, "enough");
    EXPECT_TRUE(killed.ok() || absl::IsNotFound(killed)) << killed;
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

TEST_F(DaemonSharingTest, AnExecutionThatTakesLongerThanItsQuotaAllowsFails) {
  const std::string config = folder_.path() + "/acceld.toml";
  std::ofstream(config) << "[quota.default]\nmax-execution-seconds = 0.2\ndevice-share = 50\n";
  ASSERT_NO_FATAL_FAILURE(Start({"--config", config}));
  const std::shared_ptr<Client> client = Connect();
  const absl::Status status = Endless(*client).Await();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("max-execution-seconds"));
  ExpectOthersAreServed();
}

}  // namespace
}  // namespace acceld::testing
