#include "common/log/log_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "common/log/log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"

namespace acceld {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// In a process of its own: it changes where standard error goes.
template <typename Run>
int InChild(const Run& run) {
  const pid_t child = fork();
  if (child == 0) _exit(run());
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(LogFileTest, TakesWhatIsLoggedAndWhatOthersWriteToStandardError) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/log";
  EXPECT_EQ(InChild([&] {
              if (!SetLogFile(path, 1 << 20).ok()) return 1;
              LogInfo("of ours");
              std::cerr << "of a library" << std::endl;
              return 0;
            }),
            0);
  EXPECT_THAT(testing::ReadText(path), HasSubstr("of ours\nof a library\n"));
}

TEST(LogFileTest, IsKeptSmallAndNoLineIsLostOnTheWay) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/log";
  EXPECT_EQ(InChild([&] {
              if (!SetLogFile(path, 4096).ok()) return 1;
              for (int i = 0; i < 1000; ++i) LogInfo("line ", i, ";");
              return 0;
            }),
            0);
  const std::string before = testing::ReadText(path + ".old"), now = testing::ReadText(path);
  EXPECT_GE(before.size(), 4096u);
  EXPECT_LT(before.size(), 2 * 4096u);
  EXPECT_LT(now.size(), 4096u);
  EXPECT_THAT(before + now, EndsWith("line 999;\n"));
  EXPECT_THAT(before + now, HasSubstr("line 960;\n"));
}

TEST(LogFileTest, AFileThatCannotBeWrittenIsAnErrorWithItsPath) {
  const absl::Status status = LogFile::Open("/no/such/log", 4096).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/such/log"));
}

}  // namespace
}  // namespace acceld
