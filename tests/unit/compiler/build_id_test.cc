#include "server/compiler/build_id.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/compiler/compiler.h"
#include "tests/unit/cache/temporary_folder.h"

namespace acceld::compiler {
namespace {

using ::testing::StartsWith;

TEST(BuildIdTest, IsTheLinkersNote) {
  EXPECT_EQ(BuildIdNote().size(), 40u);  // SHA-1, as the build asks the linker for
  EXPECT_EQ(BuildId(), BuildIdNote());
}

TEST(BuildIdTest, WithoutANoteItFollowsFromTheFilesContent) {
  const acceld::testing::TemporaryFolder folder;
  const auto file = [&](const char* name, const char* content) {
    const std::string path = folder.path() + "/" + name;
    std::ofstream(path) << content;
    return path;
  };
  const std::string id = BuildIdOfFile(file("a", "one build"));
  EXPECT_EQ(id.size(), 32u);
  EXPECT_EQ(BuildIdOfFile(file("b", "one build")), id);
  EXPECT_NE(BuildIdOfFile(file("c", "another build")), id);
  EXPECT_EQ(BuildIdOfFile("/proc/self/exe").size(), 32u);
}

TEST(BuildIdTest, AFileThatCannotBeReadIsLikeNoOther) {
  EXPECT_THAT(BuildIdOfFile("/nonexistent"), StartsWith("unknown-"));
  EXPECT_NE(BuildIdOfFile("/nonexistent"), BuildIdOfFile("/nonexistent"));
}

}  // namespace
}  // namespace acceld::compiler
