#include "server/observability/metrics_server.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/engine/fake_engine.h"
#include "tests/unit/status_matchers.h"

namespace acceld::observability {
namespace {

TEST(MetricsAddressTest, IsCompletedWithTheLoopbackInterface) {
  EXPECT_EQ(*ParseMetricsAddress("9464"), "127.0.0.1:9464");
  EXPECT_EQ(*ParseMetricsAddress(":9464"), "127.0.0.1:9464");
  EXPECT_EQ(*ParseMetricsAddress("localhost:0"), "127.0.0.1:0");
  EXPECT_EQ(*ParseMetricsAddress("0.0.0.0:80"), "0.0.0.0:80");
  EXPECT_EQ(*ParseMetricsAddress("[::1]:80"), "[::1]:80");
}

TEST(MetricsAddressTest, QuotesWhatIsNone) {
  for (const char* text : {"", "host.example:1", "1.2.3:4", "::1:80", "127.0.0.1:65536",
                           "127.0.0.1:", "127.0.0.1:-1", "127.0.0.1:1,2", "9464s", "80r"}) {
    EXPECT_THAT(ParseMetricsAddress(text),
                IsRefused(std::string("'") + text + "' is not an address"))
        << text;
  }
}

TEST(MetricsServerTest, AnAddressInUseIsRefused) {
  testing::FakeCompiler compiler;
  const auto engine = testing::MakeFakeEngine(compiler);
  const RpcInstruments rpc({}, {});
  const auto first = MetricsServer::Start("127.0.0.1:0", *engine, rpc, "1", [] { return true; });
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string url = (*first)->url();
  EXPECT_THAT(url, ::testing::MatchesRegex("http://127\\.0\\.0\\.1:[1-9][0-9]*/metrics"));
  const std::string address = url.substr(7, url.rfind('/') - 7);
  const auto second = MetricsServer::Start(address, *engine, rpc, "1", [] { return true; });
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace acceld::observability
