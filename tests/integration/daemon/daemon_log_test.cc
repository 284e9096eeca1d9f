// What the daemon's log says about sessions, as text and as JSON.

#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class DaemonLogTest : public DaemonTest {
 protected:
  std::vector<Json> Events(const std::string& message) {
    std::vector<Json> events;
    for (absl::string_view line : absl::StrSplit(daemon_->Log(), '\n', absl::SkipEmpty())) {
      const Json json = Json::parse(std::string(line), nullptr, /*allow_exceptions=*/false);
      EXPECT_FALSE(json.is_discarded()) << line;
      if (json.is_discarded() || json["message"] != message) continue;
      events.push_back(json);
    }
    return events;
  }
  // The first event of this message about a client of this name; null while there is none.
  Json EventOf(const std::string& message, const std::string& client) {
    for (const Json& event : Events(message)) {
      if (event["client"] == client) return event;
    }
    return {};
  }
};

TEST_F(DaemonLogTest, JsonSaysWhoCameAndWhy) {
  ASSERT_NO_FATAL_FAILURE(Start({"--log-format", "json", "--max-sessions", "1"}));
  // The session that Start asked with may not be gone yet.
  std::shared_ptr<client::Client> client;
  ASSERT_TRUE(Eventually([&] {
    auto connected = client::Client::Connect({.address = address(), .client_name = "test"});
    if (connected.ok()) client = *std::move(connected);
    return client != nullptr;
  }));
  const client::Array held = *client->Upload(Floats({1, 2}));
  ASSERT_TRUE(held.Await().ok());
  EXPECT_FALSE(
      client::Client::Connect({.address = address(), .client_name = "one\n\"too\" many"}).ok());
  ASSERT_TRUE(
      Eventually([this] { return !EventOf("session refused", "one\n\"too\" many").is_null(); }));
  const Json refused = EventOf("session refused", "one\n\"too\" many");
  EXPECT_EQ(refused["code"], "RESOURCE_EXHAUSTED");
  EXPECT_THAT(refused["reason"].get<std::string>(), HasSubstr("1 of 1 sessions"));
  EXPECT_TRUE(refused.contains("identity"));
  EXPECT_EQ(refused["level"], "info");

  const Json opened = EventOf("session opened", "test");
  EXPECT_EQ(opened["priority"], "normal");
  EXPECT_TRUE(opened.contains("identity"));
  client.reset();
  ASSERT_TRUE(Eventually([this] { return !EventOf("session ended", "test").is_null(); }));
  const Json ended = EventOf("session ended", "test");
  EXPECT_EQ(ended["session"], opened["session"]);
  EXPECT_EQ(ended["arrays"], 1);
  EXPECT_EQ(ended["bytes"], 8);
  EXPECT_TRUE(ended["code"].is_string());
  EXPECT_EQ(Stop(), 0);
  EXPECT_EQ(Events("stopped").size(), 1u);
}

TEST_F(DaemonLogTest, FailedRequestsAreThereAtLevelDebug) {
  ASSERT_NO_FATAL_FAILURE(Start({"--log-format", "json", "--log-level", "debug"}));
  const std::shared_ptr<client::Client> client = Connect();
  const auto results =
      client->Execute(Parse("func.func @main() -> tensor<1099511627776xf32> {\n"
                            "  %y = stablehlo.iota dim = 0 : tensor<1099511627776xf32>\n"
                            "  return %y : tensor<1099511627776xf32>\n}\n"),
                      {});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_FALSE(results->front().Await().ok());
  const std::vector<Json> failed = Events("request failed");
  ASSERT_FALSE(failed.empty());
  EXPECT_EQ(failed[0]["session"], EventOf("session opened", "test")["session"]);
  EXPECT_GT(failed[0]["request"], 0);
  EXPECT_EQ(failed[0]["code"], "RESOURCE_EXHAUSTED");
}

TEST_F(DaemonLogTest, TextHasTheSameKeys) {
  ASSERT_NO_FATAL_FAILURE(Start());
  Connect().reset();
  ASSERT_TRUE(Eventually([this] {
    return daemon_->Log().find("session ended session=2 client=test") != std::string::npos;
  }));
  EXPECT_THAT(daemon_->Log(), ContainsRegex("I [0-9]+ session opened session=2 client=test "
                                            "identity=[^ ]+ priority=normal"));
  EXPECT_THAT(daemon_->Log(), ContainsRegex("session ended session=2 client=test "
                                            "identity=[^ ]+ code=[A-Z]+ reason="));
}

}  // namespace
}  // namespace acceld::testing
