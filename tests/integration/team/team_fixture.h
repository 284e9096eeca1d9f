#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/admin.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/daemon_process.h"
#include "tests/support/daemon/redis_server.h"
#include "tests/support/eventually.h"

namespace acceld::testing {

// Tests of several real daemons, each with a folder of its own, that share the distribution's Redis
// and a key.
class TeamTest : public ::testing::Test {
 protected:
  // Skips where Redis is not installed.
  void SetUp() override;
  // Says what the daemons logged when the test has failed.
  void TearDown() override;

  // Starts one more; `flags` go before those of the team. Gives its number.
  size_t AddDaemon(const std::vector<std::string>& flags = {});
  std::vector<std::string> TeamFlags() const;  // each with a value
  // A process of client_process.cc at a daemon.
  Process StartClient(size_t daemon, const std::string& mode, std::vector<std::string> arguments);
  // Runs `count` programs on each of the daemons, by so many clients at the same time, and expects
  // right results.
  void RunPrograms(const std::vector<size_t>& daemons, int clients, int count);

  client::ServerStats Stats(size_t daemon);
  // Of the use that a daemon makes of Redis: "hits", ...
  uint64_t Count(size_t daemon, const std::string& name);
  uint64_t Compiles();  // of all daemons
  CommandResult Accelctl(size_t daemon, const std::vector<std::string>& arguments);

  TempDir folder_;
  std::unique_ptr<RedisServer> redis_;
  std::vector<Daemon> daemons_;
};

}  // namespace acceld::testing
