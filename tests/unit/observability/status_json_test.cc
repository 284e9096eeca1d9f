#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/observability/status_page/json.h"
#include "tests/unit/engine/fake_engine.h"
#include "tests/unit/observability/status_sample.h"

namespace acceld::observability {
namespace {

using Json = nlohmann::json;
using testing::SampleStatus;

TEST(StatusJsonTest, SaysWhatThePageSays) {
  const Json json = Json::parse(RenderJson(SampleStatus("name")));
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["time"], "2026-11-22T05:28:44Z");
  EXPECT_EQ(json["uptime_seconds"], 93784);
  EXPECT_EQ(json["accepting"], true);
  const Json& device = json["devices"][0];
  EXPECT_EQ(device["name"], "name 0");
  EXPECT_EQ(device["healthy"], true);
  EXPECT_EQ(device["memory_used_bytes"], uint64_t{20} << 30);
  EXPECT_EQ(device["queued_by_priority"], Json({{"batch", 1}, {"normal", 2}, {"interactive", 3}}));
  EXPECT_EQ(device["gangs"], 2);
  EXPECT_EQ(device["executions_ok"], 1234567);
  EXPECT_EQ(device["executions_failed"], 23);
  EXPECT_EQ(device["executions_cancelled"], 45);
  EXPECT_EQ(device["device_seconds"], 0.0456);
  EXPECT_EQ(json["devices"][1]["error"], "lost: name");
  EXPECT_EQ(json["missing"][1]["library"], "libcudnn");
  EXPECT_EQ(json["host_memory"]["limit_bytes"], uint64_t{8} << 30);
  EXPECT_EQ(json["sessions"]["open"], 3);
  EXPECT_EQ(json["sessions"]["identities"][0], Json({{"identity", "name"},
                                                     {"sessions", 2},
                                                     {"handles", 500},
                                                     {"memory_bytes", uint64_t{1} << 30}}));
  EXPECT_EQ(json["cache"]["memory"],
            Json({{"entries", 31}, {"size_bytes", 3 << 20}, {"hits", 700}, {"evictions", 19}}));
  EXPECT_EQ(json["cache"]["disk"]["hits"], 100);
  EXPECT_EQ(json["cache"]["misses"], 100);
  EXPECT_EQ(json["cache"]["compile_failures"], 9);
  const Json& remote = json["cache"]["remote"];
  EXPECT_EQ(remote["url"], "redis://name:6379");
  EXPECT_EQ(remote["up"], false);
  EXPECT_EQ(remote["refused"], 4);
  EXPECT_EQ(json["counters"]["gangs_waiting"], 1);
  EXPECT_EQ(json["counters"]["collective_wait_ms"], 1500);
  EXPECT_EQ(json["trouble"][0], Json({{"time", "2026-11-22T05:26:39Z"},
                                      {"level", "error"},
                                      {"text", "failed: name"},
                                      {"count", 12}}));
}

TEST(StatusJsonTest, HasTheSeriesOfTheLastHour) {
  const Json history = Json::parse(RenderJson(SampleStatus("name")))["history"];
  EXPECT_EQ(history["interval_seconds"], 10);
  ASSERT_EQ(history["devices"].size(), 2u);
  const Json& device = history["devices"][0];
  EXPECT_EQ(device["id"], 0);
  for (const char* key : {"busy_share", "executions_per_second", "queued", "memory_used_bytes"}) {
    ASSERT_EQ(device[key].size(), 360u) << key;
    EXPECT_TRUE(device[key][179].is_null()) << key;
  }
  EXPECT_EQ(device["busy_share"][180], 0.25);
  EXPECT_EQ(device["busy_share"][359], 0.5);
  EXPECT_EQ(device["executions_per_second"][359], 12.5);
  EXPECT_EQ(device["queued"][180], 7);
  EXPECT_EQ(device["memory_used_bytes"][359], uint64_t{20} << 30);
  EXPECT_EQ(history["devices"][1]["busy_share"][359], 0);
  EXPECT_EQ(history["cache"]["hits_per_second"][180], 90);
  EXPECT_EQ(history["cache"]["misses_per_second"][180], 0.1);
}

TEST(StatusJsonTest, TakesAnyNameAndAnIdleDaemon) {
  std::string name;
  for (int c = 0; c < 256; ++c) name.push_back(static_cast<char>(c));
  EXPECT_FALSE(Json::parse(RenderJson(SampleStatus(name)), nullptr, false).is_discarded());
  const Json idle = Json::parse(RenderJson(DaemonStatus()), nullptr, false);
  ASSERT_FALSE(idle.is_discarded());
  EXPECT_TRUE(idle["devices"].empty());
  EXPECT_FALSE(idle["cache"].contains("remote"));
}

TEST(StatusSourceTest, GathersFromTheEngine) {
  testing::FakeCompiler compiler;
  const auto engine = testing::MakeFakeEngine(compiler, {.devices = 2});
  bool accepting = true;
  const StatusSource source(*engine, "7", [&] { return accepting; });
  const auto session = *engine->OpenSession({.client_name = "secret", .identity = {"ann"}});
  (void)session->RegisterProgram(1, testing::ModuleNamed("add_one"), "main");
  (void)session->RegisterProgram(2, testing::ModuleNamed("fail"), "main");
  (void)session->Put(1, testing::Floats({1, 2}), 1);
  (void)session->Execute(1, {1}, {2}, 1);
  (void)session->Execute(2, {1}, {3}, 1);
  for (const engine::Handle handle : {2, 3}) (void)testing::Await(*session, handle);
  const DaemonStatus status = source.Gather();
  EXPECT_EQ(status.version, "7");
  EXPECT_TRUE(status.accepting);
  ASSERT_EQ(status.devices.size(), 2u);
  ASSERT_EQ(status.metrics.devices.size(), 2u);
  EXPECT_EQ(status.stats.cache_misses, 2u);
  // The first sample was read when the source was made.
  ASSERT_EQ(status.history.devices.size(), 2u);
  ASSERT_EQ(status.history.devices[0].size(), DeviceSeries().size());
  EXPECT_EQ(status.history.devices[0][0].size(), 360u);
  EXPECT_EQ(status.history.cache.size(), CacheSeries().size());
  ASSERT_EQ(status.identities.size(), 1u);
  EXPECT_EQ(status.identities[0].identity, "ann");
  // Clients' names for themselves are no more in it than in the metrics.
  EXPECT_EQ(RenderJson(status).find("secret"), std::string::npos);
  accepting = false;
  EXPECT_FALSE(source.Gather().accepting);
}

TEST(OutcomesTest, CancelledIsNotFailed) {
  CountsByCode counts{};
  for (size_t code = 0; code < kNumStatusCodes; ++code) counts[code] = 1;
  const Outcomes outcomes = OutcomesOf(counts);
  EXPECT_EQ(outcomes.ok, 1u);
  EXPECT_EQ(outcomes.cancelled, 1u);
  EXPECT_EQ(outcomes.failed, kNumStatusCodes - 2);
}

}  // namespace
}  // namespace acceld::observability
