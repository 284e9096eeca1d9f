#include "server/observability/collector.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observability/metrics.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::observability {
namespace {

class CollectorTest : public ::testing::Test {
 protected:
  // "name" or "name a b" (label values in order) -> value; a histogram's is its count.
  std::map<std::string, double> Read() {
    std::map<std::string, double> values;
    for (const prometheus::MetricFamily& family : collector_.Collect()) {
      for (const prometheus::ClientMetric& metric : family.metric) {
        std::string key = family.name;
        for (const auto& label : metric.label) absl::StrAppend(&key, " ", label.value);
        EXPECT_EQ(values.count(key), 0u) << key;
        values[key] = family.type == prometheus::MetricType::Histogram
                          ? static_cast<double>(metric.histogram.sample_count)
                      : family.type == prometheus::MetricType::Counter ? metric.counter.value
                                                                       : metric.gauge.value;
      }
    }
    return values;
  }

  testing::FakeCompiler compiler_;
  // Nobody is there, but there could be.
  static cache::RemoteTier::Options RemoteCache() {
    return {.redis = {.url = *cache::redis::ParseUrl("redis://127.0.0.1:1")},
            .entries = {.salt = "s", .keys = {"key"}}};
  }
  std::unique_ptr<engine::Engine> engine_ =
      testing::MakeFakeEngine(compiler_, {.devices = 2, .remote_cache = RemoteCache()});
  RpcInstruments rpc_{{"Run"}, {"hello", ""}};
  Collector collector_{*engine_, rpc_, "1.2.3"};
};

TEST_F(CollectorTest, GivesEveryMetricWithItsLabels) {
  const auto session = *engine_->OpenSession({.client_name = "test", .identity = {"ann"}});
  const std::vector<prometheus::MetricFamily> families = collector_.Collect();
  ASSERT_EQ(families.size(), Metrics().size());
  for (size_t i = 0; i < families.size(); ++i) {
    const MetricInfo& info = Metrics()[i];
    EXPECT_EQ(families[i].name, info.name);
    EXPECT_FALSE(families[i].metric.empty()) << info.name;
    const std::vector<std::string> names = absl::StrSplit(info.labels, ", ", absl::SkipEmpty());
    for (const prometheus::ClientMetric& metric : families[i].metric) {
      ASSERT_EQ(metric.label.size(), names.size()) << info.name;
      for (size_t l = 0; l < names.size(); ++l) EXPECT_EQ(metric.label[l].name, names[l]);
    }
  }
}

TEST_F(CollectorTest, ExecutionsAreCountedByOutcomeAndCode) {
  const auto session = *engine_->OpenSession({.client_name = "test", .identity = {"ann"}});
  (void)session->RegisterProgram(1, testing::ModuleNamed("add_one"), "main");
  (void)session->RegisterProgram(2, testing::ModuleNamed("fail"), "main");
  (void)session->Put(1, testing::Floats({1, 2}), 1);
  (void)session->Execute(1, {1}, {2}, 1);
  (void)session->Execute(2, {1}, {3}, 1);
  (void)session->Execute(7, {1}, {4}, 1);
  for (const engine::Handle handle : {2, 3, 4}) (void)testing::Await(*session, handle);
  // Arrays are final before their task is counted as gone.
  engine_->Shutdown(std::chrono::seconds(60));
  const auto values = Read();
  EXPECT_EQ(values.at("acceld_executions_total 1 ok"), 1);
  EXPECT_EQ(values.at("acceld_executions_total 1 failed"), 1);
  EXPECT_EQ(values.at("acceld_executions_total 1 cancelled"), 0);
  EXPECT_EQ(values.at("acceld_executions_total 0 ok"), 0);
  EXPECT_EQ(values.at("acceld_errors_total execution INTERNAL"), 1);
  EXPECT_EQ(values.at("acceld_errors_total naming NOT_FOUND"), 1);
  EXPECT_EQ(values.at("acceld_execution_device_seconds 1"), 2);
  EXPECT_EQ(values.at("acceld_execution_queue_seconds 1"), 2);
  EXPECT_GT(values.at("acceld_device_busy_seconds_total 1"), 0);
  EXPECT_EQ(values.at("acceld_device_busy_seconds_total 0"), 0);
  EXPECT_EQ(values.at("acceld_compile_seconds"), 2);
  EXPECT_EQ(values.at("acceld_cache_lookups_total miss"), 2);
  EXPECT_EQ(values.at("acceld_identity_cache_lookups_total ann miss"), 2);
  EXPECT_EQ(values.at("acceld_identity_cache_lookups_total ann remote"), 0);
  EXPECT_EQ(values.at("acceld_queue_depth 1 normal"), 0);
}

TEST_F(CollectorTest, SessionsAreCountedByIdentityAndQueuesByPriority) {
  const auto session = *engine_->OpenSession(
      {.client_name = "a", .identity = {"ann"}, .priority = Priority::kBatch});
  (void)session->RegisterProgram(1, testing::ModuleNamed("spin"), "main");
  (void)session->Put(1, testing::Floats({1, 2}), 0);
  EXPECT_TRUE(testing::Await(*session, 1).status.ok());
  (void)session->Execute(1, {}, {2}, 0);
  const auto values = Read();
  EXPECT_EQ(values.at("acceld_sessions"), 1);
  EXPECT_EQ(values.at("acceld_identity_sessions ann"), 1);
  EXPECT_EQ(values.at("acceld_identity_handles ann"), 2);
  EXPECT_GE(values.at("acceld_identity_memory_bytes ann"), 8);
  EXPECT_GE(values.at("acceld_queue_depth 0 batch"), 1);
  EXPECT_EQ(values.at("acceld_queue_depth 0 normal"), 0);
}

TEST_F(CollectorTest, BucketsAreCumulative) {
  const auto session = *engine_->OpenSession({.client_name = "test"});
  (void)session->RegisterProgram(1, testing::ModuleNamed("add_one"), "main");
  (void)session->Put(0, testing::Floats({1, 2}), 0);
  for (engine::Handle h = 0; h < 20; ++h) (void)session->Execute(1, {h}, {h + 1}, 0);
  EXPECT_EQ(testing::FetchFloats(*session, 20)[0], 21);
  for (const prometheus::MetricFamily& family : collector_.Collect()) {
    if (family.name != "acceld_execution_device_seconds") continue;
    const auto& histogram = family.metric[0].histogram;
    EXPECT_EQ(histogram.sample_count, 20u);
    ASSERT_EQ(histogram.bucket.size(), kNumBounds);
    EXPECT_DOUBLE_EQ(histogram.bucket[0].upper_bound, 1e-6);
    EXPECT_DOUBLE_EQ(histogram.bucket.back().upper_bound, 100);
    for (size_t i = 1; i < histogram.bucket.size(); ++i) {
      EXPECT_GE(histogram.bucket[i].cumulative_count, histogram.bucket[i - 1].cumulative_count);
    }
    EXPECT_LE(histogram.bucket.back().cumulative_count, histogram.sample_count);
  }
}

TEST_F(CollectorTest, TransportCountsHaveTheirNames) {
  rpc_.CountRequest("Run", absl::StatusCode::kInvalidArgument);
  rpc_.CountRequest("Check", absl::StatusCode::kOk);
  rpc_.CountCommands(0, 5);
  rpc_.upload_bytes.Add(7);
  const auto values = Read();
  EXPECT_EQ(values.at("acceld_rpc_requests_total Run INVALID_ARGUMENT"), 1);
  EXPECT_EQ(values.at("acceld_rpc_requests_total Run OK"), 0);
  EXPECT_EQ(values.at("acceld_rpc_requests_total other OK"), 1);
  EXPECT_EQ(values.at("acceld_commands_total hello"), 5);
  EXPECT_EQ(values.at("acceld_transfer_bytes_total in upload"), 7);
  EXPECT_EQ(values.at("acceld_build_info 1.2.3"), 1);
}

TEST_F(CollectorTest, QuotasAreShownByIdentity) {
  engine::Quotas quotas;
  quotas.by_identity["ann"] = {1 << 20, 0, 5, 0, 0, 1500};
  engine_->SetQuotas(quotas);
  const auto session = *engine_->OpenSession({.client_name = "test", .identity = {"ann"}});
  (void)session->Put(1, testing::Floats({1, 2}), 1);
  (void)testing::Await(*session, 1);
  const auto values = Read();
  EXPECT_EQ(values.at("acceld_identity_quota_used ann device-memory"), 8);
  EXPECT_EQ(values.at("acceld_identity_quota_limit ann device-memory"), 1 << 20);
  EXPECT_EQ(values.at("acceld_identity_quota_used ann handles"), 1);
  EXPECT_EQ(values.at("acceld_identity_quota_limit ann handles"), 5);
  EXPECT_EQ(values.at("acceld_identity_quota_limit ann sessions"), 256);    // its share
  EXPECT_EQ(values.at("acceld_identity_quota_limit ann queued"), 400'000);  // the same
  EXPECT_EQ(values.at("acceld_identity_quota_limit ann host-memory"), 0);
  EXPECT_EQ(values.at("acceld_identity_quota_limit ann compile-time"), 1.5);
}

}  // namespace
}  // namespace acceld::observability
