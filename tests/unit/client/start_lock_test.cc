#include "client/embedded/start_lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"

namespace acceld::client {
namespace {

bool IsFree(const std::string& path) {
  const auto lock = StartLock::Try(path);
  EXPECT_TRUE(lock.ok()) << lock.status();
  return lock.ok() && lock->has_value();
}

TEST(StartLockTest, OneHasItAtATime) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/acceld.sock";
  {
    const auto lock = StartLock::Try(path);
    ASSERT_TRUE(lock.ok() && lock->has_value()) << lock.status();
    EXPECT_FALSE(IsFree(path));
  }
  EXPECT_TRUE(IsFree(path));
}

TEST(StartLockTest, AProcessThatWasForkedMeanwhileDoesNotKeepIt) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/acceld.sock";
  pid_t child = 0;
  {
    const auto lock = StartLock::Try(path);
    ASSERT_TRUE(lock.ok() && lock->has_value()) << lock.status();
    child = fork();
    if (child == 0) {
      while (true) pause();
    }
  }
  EXPECT_TRUE(IsFree(path));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(StartLockTest, WhereThereIsNoFolderThereIsNoLock) {
  EXPECT_FALSE(StartLock::Try("/no/such/folder/acceld.sock").ok());
}

}  // namespace
}  // namespace acceld::client
