#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/daemon_process.h"
#include "tests/support/eventually.h"

namespace acceld::testing {

// f32[16] -> f32[16], x + 1.
extern const char kIncrementText[];
// i64 -> i64: counts from 0 to the argument; to -1 takes centuries.
extern const char kCountText[];
constexpr int64_t kEndless = -1;
// To where it counts in about so long: a step takes some 5 ns, on GPUs some microseconds.
int64_t CountFor(std::chrono::milliseconds time);

ir::Literal Floats(std::vector<float> values);
ir::Literal Int64(int64_t value);
client::Program Parse(absl::string_view text);

// Tests of the real daemon, in a process of its own. All daemons of a test share a folder, so that
// the next finds the cache of the one before.
class DaemonTest : public ::testing::Test {
 protected:
  // Says what the daemon logged when the test has failed.
  void TearDown() override;

  void Start(const std::vector<std::string>& flags = {});
  // SIGTERM; gives the exit code.
  int Stop();

  std::shared_ptr<client::Client> Connect();
  // A connection without a session, made when it is first asked for, by one thread.
  client::Admin& Admin();
  // Runs `program` on `argument` through a session of its own.
  client::ExecutionInfo RunOnce(const client::Program& program, const ir::Literal& argument,
                                const ir::Literal& expected);
  // What all processes of StartClient have written so far.
  std::string ClientsLog() const;
  // A process of client_process.cc.
  Process StartClient(const std::string& mode, std::vector<std::string> arguments = {});
  // What the daemon answers; nothing, and a failure, when it does not.
  client::ServerStats Stats();
  std::vector<client::DeviceInfo> Devices();
  std::vector<client::SessionInfo> Sessions();
  // What a session with the name is seen to hold, while it is open.
  std::optional<client::SessionInfo> FindSession(const std::string& name);
  // Whether the busiest device gets to that many executions that have not ended.
  bool IsQueued(uint64_t executions);
  // Runs accelctl on the daemon.
  CommandResult Accelctl(const std::vector<std::string>& arguments);

  std::string address() const { return daemon_->address; }
  std::string cache_folder() const { return folder_.path() + "/cache"; }

  TempDir folder_;
  std::unique_ptr<Daemon> daemon_;

 private:
  std::unique_ptr<client::Admin> admin_;
};

}  // namespace acceld::testing
