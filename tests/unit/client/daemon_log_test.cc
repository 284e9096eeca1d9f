#include "client/embedded/daemon_log.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"

namespace acceld::client {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(DaemonLogTest, TheTailIsOfWhatCameSince) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/log";
  std::ofstream(path) << "of another daemon\n";
  const auto log = DaemonLog::Open(path);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(log->Tail(), "(nothing)");
  std::ofstream file(path, std::ios::app);
  file << "one\ntwo\n" << std::flush;
  EXPECT_EQ(log->Tail(), "one\ntwo");
  for (int i = 0; i < 1000; ++i) file << "line " << i << "\n";
  file << std::flush;
  EXPECT_THAT(log->Tail(), StartsWith("line 980\n"));
  EXPECT_THAT(log->Tail(), EndsWith("line 999"));
  file << std::string(100'000, 'x') << std::flush;
  EXPECT_LE(log->Tail().size(), 4096u);
}

TEST(DaemonLogTest, TheUsersStandsInTheCacheFolderElseWhereItCan) {
  const testing::TempDir folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const auto log = DaemonLog::OpenOfUser("/no/such/folder");
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_THAT(log->path(), StartsWith(folder.path() + "/acceld/"));
  setenv("XDG_CACHE_HOME", "/dev/null/no", 1);
  const auto other = DaemonLog::OpenOfUser(folder.path());
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->path(), folder.path() + "/acceld.log");
  unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace acceld::client
