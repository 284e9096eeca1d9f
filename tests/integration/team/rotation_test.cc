// The team's key is replaced while daemons run.

#include <signal.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/integration/team/team_fixture.h"

namespace acceld::testing {
namespace {

const std::string kOld(64, '1'), kNew(64, '2');

class RotationTest : public TeamTest {
 protected:
  // Of a daemon with a key file of its own.
  std::string KeyFile(size_t daemon) const { return absl::StrCat(folder_.path(), "/key", daemon); }
  // As renewals do: the new file takes the place of the old.
  void WriteKeys(size_t daemon, const std::vector<std::string>& keys, mode_t mode = 0600) {
    const std::string next = KeyFile(daemon) + ".next";
    std::ofstream(next) << absl::StrJoin(keys, "\n") << "\n";
    ASSERT_EQ(chmod(next.c_str(), mode), 0);
    ASSERT_EQ(rename(next.c_str(), KeyFile(daemon).c_str()), 0);
  }
  void AddDaemonWithKey(const std::string& key) {
    const size_t daemon = daemons_.size();
    WriteKeys(daemon, {key});
    ASSERT_EQ(AddDaemon({"--remote-cache-key-file", KeyFile(daemon)}), daemon);
  }
  bool Says(size_t daemon, const std::string& text) {
    return Eventually([&] { return daemons_[daemon].Log().find(text) != std::string::npos; });
  }
  // Runs a program that no other test has; each `i` is another.
  void Run(size_t daemon, int i) {
    const std::string path = absl::StrCat(folder_.path(), "/", i, ".mlir");
    std::ofstream(path) << "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                        << "  %c = stablehlo.constant dense<" << i << ".5> : tensor<4xf32>\n"
                        << "  %y = stablehlo.add %x, %c : tensor<4xf32>\n"
                        << "  return %y : tensor<4xf32>\n}\n";
    const CommandResult result = Accelctl(daemon, {"run", path, "--arg", "f32[4]=1"});
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
};

TEST_F(RotationTest, AKeyThatIsWrittenIsUsedWithoutARestart) {
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kOld));
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kNew));
  ASSERT_NO_FATAL_FAILURE(WriteKeys(0, {kNew, kOld}));
  ASSERT_TRUE(Says(0, "the team's keys were read again"));
  Run(0, 1);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 1; }));
  Run(1, 1);
  EXPECT_EQ(Count(1, "hits"), 1u);
  EXPECT_EQ(Count(1, "refused"), 0u);
  EXPECT_EQ(Stats(1).compiles, 0u);
}

TEST_F(RotationTest, AKeyThatIsTakenOutIsRefused) {
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kOld));
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kOld));
  Run(0, 1);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 1; }));
  ASSERT_NO_FATAL_FAILURE(WriteKeys(1, {kNew}));
  ASSERT_TRUE(Says(1, "the team's keys were read again"));
  Run(1, 1);
  EXPECT_EQ(Count(1, "hits"), 0u);
  EXPECT_EQ(Count(1, "refused"), 1u);
  EXPECT_EQ(Stats(1).compiles, 1u);
}

TEST_F(RotationTest, SighupReadsTheKeysToo) {
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kOld));
  daemons_[0].process.Signal(SIGHUP);
  EXPECT_TRUE(Says(0, "the team's keys were read again"));
}

TEST_F(RotationTest, AFileThatIsNoneChangesNothing) {
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kOld));
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kOld));
  ASSERT_NO_FATAL_FAILURE(WriteKeys(0, {"short"}));
  EXPECT_TRUE(Says(0, "the team's keys stay as they are: " + KeyFile(0) + ", line 1"));
  Run(0, 1);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 1; }));
  Run(1, 1);
  EXPECT_EQ(Count(1, "hits"), 1u);
}

TEST_F(RotationTest, AFileThatOthersCouldReadIsTakenWhenTheyNoLongerCan) {
  ASSERT_NO_FATAL_FAILURE(AddDaemonWithKey(kOld));
  ASSERT_NO_FATAL_FAILURE(WriteKeys(0, {kNew}, 0644));
  EXPECT_TRUE(Says(0, "the team's keys stay as they are: " + KeyFile(0) + " is not a file that"));
  ASSERT_EQ(chmod(KeyFile(0).c_str(), 0600), 0);
  EXPECT_TRUE(Says(0, "the team's keys were read again"));
}

}  // namespace
}  // namespace acceld::testing
