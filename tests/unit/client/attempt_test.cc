#include "client/transport/dial/attempt.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/net/addresses.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/net/fake_names.h"
#include "tests/unit/status_matchers.h"

namespace acceld::client {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kThree[] = "unix:/a,unix:/b,unix:/c";

// Tries all of `text`, of which those in `takes` are fine; in the order in which they were tried.
std::vector<std::string> Tried(const std::string& text, const std::set<std::string>& takes,
                               bool round_robin = true) {
  std::vector<std::string> tried;
  const absl::Status status =
      TryEach(*ParseAddresses(text), {.round_robin = round_robin}, [&](const Attempt& attempt) {
        tried.push_back(attempt.address.ToString());
        return takes.contains(tried.back()) ? absl::OkStatus() : absl::UnavailableError("no");
      });
  EXPECT_EQ(status.ok(), !takes.empty() && takes.contains(tried.back()));
  return tried;
}

TEST(AttemptTest, TheFirstIsTakenInTurn) {
  std::map<std::string, int> firsts;
  for (int i = 0; i < 30; ++i) {
    ++firsts[Tried(kThree, {"unix:/a", "unix:/b", "unix:/c"}).front()];
  }
  EXPECT_THAT(firsts, ElementsAre(std::pair("unix:/a", 10), std::pair("unix:/b", 10),
                                  std::pair("unix:/c", 10)));
}

TEST(AttemptTest, AnAddressAloneTakesNoTurn) {
  std::map<std::string, int> firsts;
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(Tried("unix:/a", {"unix:/a"}), ElementsAre("unix:/a"));
    (void)Tried("unix:/a,unix:/b", {"unix:/a", "unix:/b"}, /*round_robin=*/false);
    ++firsts[Tried("unix:/a,unix:/b", {"unix:/a", "unix:/b"}).front()];
  }
  EXPECT_THAT(firsts, ElementsAre(std::pair("unix:/a", 5), std::pair("unix:/b", 5)));
}

TEST(AttemptTest, AfterTheFirstTheOthersAreTriedOnceEach) {
  EXPECT_THAT(Tried(kThree, {}), UnorderedElementsAre("unix:/a", "unix:/b", "unix:/c"));
  // The turns of one that takes nothing are spread over the others: if the next took them all, it
  // would be 800 to 400.
  std::map<std::string, int> taken;
  for (int i = 0; i < 1200; ++i) ++taken[Tried(kThree, {"unix:/b", "unix:/c"}).back()];
  EXPECT_NEAR(taken["unix:/b"], 600, 100);
  EXPECT_NEAR(taken["unix:/c"], 600, 100);
}

TEST(AttemptTest, TheOtherFamilyOfANameComesLast) {
  testing::SetName("both.test", {"127.0.0.1", "fd00::1", "127.0.0.2", "fd00::2"});
  for (int i = 0; i < 10; ++i) {
    std::vector<std::string> tried = Tried("tls://both.test:7", {});
    ASSERT_EQ(tried.size(), 4u);
    std::sort(tried.begin(), tried.begin() + 2);
    std::sort(tried.begin() + 2, tried.end());
    EXPECT_THAT(tried, ElementsAre("tls://both.test@127.0.0.1:7", "tls://both.test@127.0.0.2:7",
                                   "tls://both.test@[fd00::1]:7", "tls://both.test@[fd00::2]:7"));
  }
}

TEST(AttemptTest, TheErrorHasWhatEachSaid) {
  const auto open = [](const Attempt& attempt) {
    EXPECT_FALSE(attempt.is_only);
    EXPECT_FALSE(attempt.wait_for_daemon);
    if (attempt.address.unix_path == "/b") return absl::ResourceExhaustedError("full");
    return absl::UnavailableError("nobody there");
  };
  const absl::Status status =
      TryEach(*ParseAddresses("unix:/a,unix:/b,tls://nobody.invalid:7"), {}, open);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("none of 3 acceld daemons can be used"),
                    HasSubstr("unix:/a: nobody there"), HasSubstr("unix:/b: full"),
                    HasSubstr("tls://nobody.invalid:7: there is no such host")));
}

TEST(AttemptTest, TheOnlyOnesErrorIsItsOwn) {
  const absl::Status status =
      TryEach(*ParseAddresses("unix:/a"), {.timeout = milliseconds(700), .wait_for_daemon = true},
              [](const Attempt& attempt) {
                EXPECT_TRUE(attempt.is_only);
                EXPECT_TRUE(attempt.wait_for_daemon);
                EXPECT_GT(attempt.timeout, milliseconds(500));
                return absl::UnavailableError("draining");
              });
  EXPECT_EQ(status, absl::UnavailableError("draining"));
  EXPECT_THAT(TryEach(*ParseAddresses("tls://nobody.invalid:7"), {},
                      [](const Attempt&) { return absl::OkStatus(); }),
              FailsWith(absl::StatusCode::kUnavailable,
                        "no acceld daemon answers at tls://nobody.invalid:7 (there is no such "
                        "host); start one with `acceld --listen tls://nobody.invalid:7`"));
}

TEST(AttemptTest, EachHasItsShareOfTheTime) {
  std::vector<milliseconds> shares;
  (void)TryEach(*ParseAddresses(kThree), {.timeout = milliseconds(30'000)},
                [&](const Attempt& attempt) {
                  shares.push_back(attempt.timeout);
                  return absl::UnavailableError("no");
                });
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_NEAR(static_cast<double>(shares[0].count()), 10'000, 1000);
  EXPECT_NEAR(static_cast<double>(shares[1].count()), 15'000, 1000);
  EXPECT_NEAR(static_cast<double>(shares[2].count()), 30'000, 1000);
}

TEST(AttemptTest, WhoWaitsTriesAllAgainUntilTheTimeout) {
  int tries = 0;
  EXPECT_THAT(TryEach(*ParseAddresses("unix:/a,unix:/b"),
                      {.timeout = milliseconds(60'000), .wait_for_daemon = true},
                      [&](const Attempt&) {
                        return ++tries > 5 ? absl::OkStatus() : absl::UnavailableError("no");
                      }),
              IsOk());
  EXPECT_EQ(tries, 6);
  EXPECT_THAT(TryEach(*ParseAddresses("unix:/a,unix:/b"),
                      {.timeout = milliseconds(300), .wait_for_daemon = true},
                      [](const Attempt&) { return absl::UnavailableError("no"); }),
              FailsWith(absl::StatusCode::kUnavailable, "none of 2"));
}

}  // namespace
}  // namespace acceld::client
