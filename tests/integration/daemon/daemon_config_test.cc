// The daemon's configuration: where it comes from, and what SIGHUP changes.

#include <signal.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

class DaemonConfigTest : public DaemonTest {
 protected:
  void Write(const std::string& text) { std::ofstream(path_) << text; }
  // Sends SIGHUP and waits for what the log says then.
  void Reload(const std::string& message) {
    daemon_->process.Signal(SIGHUP);
    EXPECT_TRUE(Eventually([&] { return daemon_->Log().find(message) != std::string::npos; }))
        << message;
  }

  const std::string path_ = folder_.path() + "/config.toml";
};

TEST_F(DaemonConfigTest, TheFileConfiguresTheDaemon) {
  Write("cpu-devices = 3\n");
  ASSERT_NO_FATAL_FAILURE(Start({"--config", path_}));
  EXPECT_EQ(Devices().size(), 3u);
  EXPECT_THAT(daemon_->Log(), HasSubstr(absl::StrCat("configuration from ", path_)));
}

TEST_F(DaemonConfigTest, AWrongFileKeepsItFromStarting) {
  Write("cpu-devices = 3\ncpu-device = 4\n");
  const CommandResult result = RunCommand({BinDir() + "/acceld", "--config", path_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr(absl::StrCat(path_, ":2: there is no setting")));
}

TEST_F(DaemonConfigTest, TheEffectiveConfigurationIsPrinted) {
  Write("cpu-devices = 3\n");
  const CommandResult result = RunCommand(
      {BinDir() + "/acceld", "--config", path_, "--max-sessions", "5", "--print-config"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr(absl::StrCat("cpu-devices = 3  # ", path_, ":1\n")));
  EXPECT_THAT(result.output, HasSubstr("max-sessions = 5  # flag\n"));
  EXPECT_THAT(result.output, HasSubstr("decode-threads = 2  # default\n"));
}

TEST_F(DaemonConfigTest, SighupAppliesWhatCanBeAppliedAndNamesTheRest) {
  Write("log-level = \"info\"\nshutdown-grace = 86400\n");
  ASSERT_NO_FATAL_FAILURE(Start({"--config", path_}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Array endless =
      client->Execute(Parse(kCountText), {*client->Upload(Int64(kEndless))})->front();
  Write("shutdown-grace = 0.1\ncpu-devices = 2\n");
  Reload("setting cpu-devices: 1 -> 2 needs a restart");
  EXPECT_THAT(daemon_->Log(), HasSubstr("setting shutdown-grace: 86400 -> 0.1\n"));
  EXPECT_EQ(Devices().size(), 1u);
  EXPECT_EQ(Stop(), 0);  // In far less than a day.
}

TEST_F(DaemonConfigTest, ABrokenFileChangesNothing) {
  Write("log-level = \"info\"\n");
  ASSERT_NO_FATAL_FAILURE(Start({"--config", path_}));
  Write("log-level = \"error\"\nmax-sessions = \"many\"\n");
  Reload(absl::StrCat("the configuration stays as it is: ", path_,
                      ":2: max-sessions: 'many' is not a whole number"));
  Write("log-level = \"info\"\n");
  Reload("got SIGHUP: 0 settings have changed");  // So the level was still that.
  EXPECT_TRUE(Admin().GetStats().ok());
}

TEST_F(DaemonConfigTest, QuotasOfTheFileHoldAndChangeWhileTheDaemonRuns) {
  Write("[quota.default]\nhandles = 2\n");
  ASSERT_NO_FATAL_FAILURE(Start({"--config", path_}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Array first = *client->Upload(Int64(1)), second = *client->Upload(Int64(2));
  {
    const client::Array third = *client->Upload(Int64(3));
    const absl::Status refused = third.Fetch().status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(refused.message()),
                ::testing::ContainsRegex("quota of .*: handles: 1 do not fit, 2 of 2 are in use"));
  }
  Write("[quota.default]\nhandles = 3\n");
  Reload("setting quota.default.handles: 2 -> 3");
  const client::Array third = *client->Upload(Int64(3));
  EXPECT_EQ(*third.Fetch(), Int64(3));
  EXPECT_EQ(*first.Fetch(), Int64(1));
}

}  // namespace
}  // namespace acceld::testing
