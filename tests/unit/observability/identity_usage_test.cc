#include "server/observability/identity_usage.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::observability {
namespace {

SessionInfo SessionOf(std::string identity, uint64_t handles, uint64_t bytes) {
  SessionInfo info;
  info.identity = std::move(identity);
  info.handles = handles;
  info.array_bytes = bytes;
  return info;
}

TEST(IdentityUsageTest, SumsUpSessionsOfAnIdentity) {
  const auto usages = UsageByIdentity({SessionOf("ann", 1, 10), SessionOf("bob", 2, 100),
                                       SessionOf("ann", 3, 30), SessionOf("", 0, 0)});
  ASSERT_EQ(usages.size(), 3u);
  EXPECT_EQ(usages[0].identity, "bob");
  EXPECT_EQ(usages[1].identity, "ann");
  EXPECT_EQ(usages[1].sessions, 2u);
  EXPECT_EQ(usages[1].handles, 4u);
  EXPECT_EQ(usages[1].memory_bytes, 40u);
  EXPECT_EQ(usages[2].identity, "(none)");
}

TEST(IdentityUsageTest, ManyIdentitiesDoNotMakeManyLabels) {
  std::vector<SessionInfo> sessions;
  for (int i = 0; i < 1000; ++i) sessions.push_back(SessionOf(absl::StrCat("user", i), 1, i));
  const auto usages = UsageByIdentity(sessions);
  ASSERT_EQ(usages.size(), kMaxIdentities + 1);
  EXPECT_EQ(usages.front().identity, "user999");
  EXPECT_EQ(usages.back().identity, "(others)");
  EXPECT_EQ(usages.back().sessions, 1000 - kMaxIdentities);
}

TEST(IdentityUsageTest, QuotasOfManyIdentitiesAreSummedUpToo) {
  std::vector<engine::IdentityInfo> identities;
  for (int i = 0; i < 1000; ++i) {
    identities.push_back({.identity = i == 7 ? "" : absl::StrCat("user", i), .quotas = {}});
    identities.back().quotas[0] = {.used = i == 7 ? 5000 : i, .limit = 10'000};
  }
  const auto largest = LargestIdentities(std::move(identities));
  ASSERT_EQ(largest.size(), kMaxIdentities + 1);
  EXPECT_EQ(largest[0].identity, "(none)");
  EXPECT_EQ(largest[1].identity, "user999");
  EXPECT_EQ(largest[1].quotas[0].limit, 10'000);
  EXPECT_EQ(largest.back().identity, "(others)");
  EXPECT_GT(largest.back().quotas[0].used, 0);
  EXPECT_EQ(largest.back().quotas[0].limit, 0);
}

}  // namespace
}  // namespace acceld::observability
