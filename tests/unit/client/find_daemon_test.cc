#include "client/embedded/find_daemon.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"

namespace acceld::client {
namespace {

using ::testing::HasSubstr;

class FindDaemonTest : public ::testing::Test {
 protected:
  FindDaemonTest() : path_(getenv("PATH")) { unsetenv("ACCELD_DAEMON"); }
  ~FindDaemonTest() override {
    unsetenv("ACCELD_DAEMON");
    setenv("PATH", path_.c_str(), 1);
  }
  std::string MakeProgram(const std::string& name) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n";
    chmod(path.c_str(), 0700);
    return path;
  }

  const std::string path_;
  testing::TempDir folder_;
};

TEST_F(FindDaemonTest, TheVariableStandsBeforeWhatTheProgramPrefers) {
  const std::string named = MakeProgram("named"), preferred = MakeProgram("preferred");
  EXPECT_EQ(FindDaemon(preferred).value(), preferred);
  setenv("ACCELD_DAEMON", named.c_str(), 1);
  EXPECT_EQ(FindDaemon(preferred).value(), named);
  setenv("ACCELD_DAEMON", "/no/such", 1);
  const absl::Status missing = FindDaemon(preferred).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound) << missing;
  EXPECT_THAT(std::string(missing.message()), HasSubstr("/no/such, by ACCELD_DAEMON"));
  EXPECT_EQ(FindDaemon(folder_.path()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(FindDaemonTest, ElseItIsBesideThisProgram) {
  // Where the build puts tests and the daemon; other builds may have made none.
  const std::filesystem::path self = std::filesystem::canonical("/proc/self/exe");
  const std::filesystem::path bin = self.parent_path().parent_path() / "bin" / "acceld";
  if (!std::filesystem::exists(bin)) GTEST_SKIP() << "there is no " << bin;
  setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_EQ(FindDaemon("").value(), bin.string());
}

}  // namespace
}  // namespace acceld::client
