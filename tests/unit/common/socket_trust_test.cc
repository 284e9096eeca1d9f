#include "common/net/socket_trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/net/packet_socket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld {
namespace {

using ::testing::HasSubstr;

class TrustTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/acceld-trust-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    path_ = folder_ + "/acceld.sock";
    std::ofstream(path_).flush();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_, path_;
};

TEST_F(TrustTest, OnesOwnFolderIsTrustedWhileOthersMayNotWriteThere) {
  for (const mode_t mode : {0700, 0711, 0755, 0750}) {
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    EXPECT_TRUE(CheckSocketFile(path_, TrustedUsers()).ok()) << mode;
  }
  for (const mode_t mode : {0770, 0707, 0777, 01777, 0720, 0702}) {
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    for (const absl::Status& refused :
         {CheckSocketFile(path_, TrustedUsers()), CheckSocketFolder(path_, TrustedUsers())}) {
      EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied) << mode;
      EXPECT_THAT(std::string(refused.message()), HasSubstr(folder_));
    }
  }
}

TEST_F(TrustTest, WhatIsNotThereIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(CheckSocketFile(folder_ + "/none", TrustedUsers())));
  EXPECT_TRUE(absl::IsNotFound(CheckSocketFile("/nowhere/at/all", TrustedUsers())));
  EXPECT_TRUE(absl::IsNotFound(CheckSocketFolder("/nowhere/at/all", TrustedUsers())));
  EXPECT_TRUE(CheckSocketFolder(folder_ + "/none", TrustedUsers()).ok());
}

TEST_F(TrustTest, TheFolderThatALinkLeadsToCounts) {
  const std::string open_folder = folder_ + "/open";
  ASSERT_EQ(mkdir(open_folder.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open_folder.c_str(), 0777), 0);
  std::ofstream(open_folder + "/real.sock").flush();
  const std::string link = folder_ + "/link.sock";
  ASSERT_EQ(symlink((open_folder + "/real.sock").c_str(), link.c_str()), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(CheckSocketFile(link, TrustedUsers())));
  ASSERT_EQ(chmod(open_folder.c_str(), 0755), 0);
  EXPECT_TRUE(CheckSocketFile(link, TrustedUsers()).ok());
}

TEST_F(TrustTest, ThePeerIsWhoTheKernelSays) {
  const absl::StatusOr<SocketPair> pair = CreatePacketSocketPair();
  ASSERT_TRUE(pair.ok()) << pair.status();
  EXPECT_TRUE(CheckPeer(pair->one.get(), path_, TrustedUsers()).ok());
  EXPECT_FALSE(CheckPeer(-1, path_, TrustedUsers()).ok());
}

TEST(TrustedUsersTest, AreOneselfRootAndWhoIsNamed) {
  EXPECT_TRUE(TrustedUsers().Include(geteuid()));
  EXPECT_TRUE(TrustedUsers().Include(0));
  EXPECT_FALSE(TrustedUsers().Include(54321));
  EXPECT_TRUE(TrustedUsers(54321).Include(54321));
  EXPECT_THAT(TrustedUsers(54321).ToString(), HasSubstr(" or uid 54321"));
  EXPECT_THAT(TrustedUsers().ToString(), HasSubstr("root (uid 0)"));
}

TEST(TrustedUsersTest, AreNamedByNameOrNumber) {
  EXPECT_EQ(*FindUser("root"), 0u);
  EXPECT_EQ(*FindUser("54321"), 54321u);
  for (const char* nobody : {"", "no-such-user-here", "-1", "4294967295"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(FindUser(nobody).status())) << nobody;
  }
}

}  // namespace
}  // namespace acceld
