// The metrics of the daemon, as Prometheus reads them.

#include <chrono>
#include <map>
#include <regex>
#include <thread>

#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/support/daemon/http.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;
using Samples = std::map<std::string, double>;

class DaemonMetricsTest : public DaemonTest {
 protected:
  void StartWithMetrics(std::vector<std::string> flags = {}) {
    flags.insert(flags.end(), {"--metrics-listen", "127.0.0.1:0"});
    ASSERT_NO_FATAL_FAILURE(Start(flags));
    ASSERT_TRUE(Eventually([this] { return FindPort(); })) << daemon_->Log();
  }
  Samples Scrape() {
    const absl::StatusOr<HttpReply> reply = HttpGet(port_, "/metrics");
    EXPECT_TRUE(reply.ok()) << reply.status();
    if (!reply.ok()) return {};
    EXPECT_EQ(reply->code, 200);
    absl::StatusOr<Samples> samples = ParsePrometheusText(reply->body);
    EXPECT_TRUE(samples.ok()) << samples.status();
    return samples.ok() ? *std::move(samples) : Samples();
  }

  // The same, less what there was when the test began: starting a daemon takes a session.
  Samples ScrapeChanges(const Samples& before) {
    Samples samples = Scrape();
    for (auto& [name, value] : samples) {
      if (const auto found = before.find(name); found != before.end()) value -= found->second;
    }
    return samples;
  }

  uint16_t port_ = 0;

 private:
  bool FindPort() {
    const std::string log = daemon_->Log();
    std::smatch match;
    if (!std::regex_search(log, match, std::regex("http://127\\.0\\.0\\.1:([0-9]+)/metrics"))) {
      return false;
    }
    port_ = static_cast<uint16_t>(std::stoi(match[1]));
    return true;
  }
};

TEST_F(DaemonMetricsTest, AgreeWithWhatClientsDid) {
  ASSERT_NO_FATAL_FAILURE(StartWithMetrics({"--cpu-devices", "2"}));
  ASSERT_TRUE(Eventually([this] { return Scrape()["acceld_sessions"] == 0; }));
  const Samples before = Scrape();
  const std::shared_ptr<client::Client> client = Connect();
  const client::Program increment = Parse(kIncrementText);
  client::Array value = *client->Upload(Floats(std::vector<float>(16, 0)));
  for (int i = 0; i < 10; ++i) value = client->Execute(increment, {value})->front();
  EXPECT_TRUE(*value.Fetch() == Floats(std::vector<float>(16, 10)));
  const std::vector<float> large(1 << 20, 1);
  const client::Array uploaded = *client->Upload(Floats(large));
  ASSERT_TRUE(uploaded.Fetch().ok());
  const auto remote = *client::Client::Connect({.address = address(), .local_transport = false});
  ASSERT_TRUE(remote->Upload(Floats(large))->Fetch().ok());
  (void)Admin().ListDevices();

  const Samples samples = ScrapeChanges(before);
  EXPECT_EQ(samples.at(R"(acceld_executions_total{device="0",outcome="ok"})"), 10);
  EXPECT_EQ(samples.at(R"(acceld_executions_total{device="1",outcome="ok"})"), 0);
  EXPECT_EQ(samples.at(R"(acceld_execution_device_seconds_count{device="0"})"), 10);
  EXPECT_EQ(samples.at(R"(acceld_execution_queue_seconds_bucket{device="0",le="+Inf"})"), 10);
  EXPECT_GT(samples.at(R"(acceld_execution_device_seconds_sum{device="0"})"), 0);
  EXPECT_EQ(samples.at(R"(acceld_commands_total{kind="execute"})"), 10);
  EXPECT_EQ(samples.at(R"(acceld_commands_total{kind="hello"})"), 2);
  EXPECT_EQ(samples.at(R"(acceld_cache_lookups_total{verdict="miss"})"), 1);
  EXPECT_EQ(samples.at("acceld_compile_seconds_count"), 1);
  EXPECT_EQ(samples.at(R"(acceld_rpc_requests_total{method="ListDevices",code="OK"})"), 1);
  EXPECT_EQ(samples.at(R"(acceld_rpc_requests_total{method="Upload",code="OK"})"), 1);
  constexpr char kShared[] = R"(acceld_transfer_bytes_total{direction="in",path="segment"})";
  EXPECT_EQ(samples.at(kShared), 4 << 20);
  EXPECT_EQ(samples.at(R"(acceld_transfer_bytes_total{direction="in",path="upload"})"), 4 << 20);
  EXPECT_EQ(samples.at(R"(acceld_transfer_bytes_total{direction="out",path="download"})"), 4 << 20);
  EXPECT_EQ(samples.at(R"(acceld_transfer_bytes_total{direction="in",path="inline"})"), 64);
  EXPECT_EQ(samples.at(R"(acceld_transfer_bytes_total{direction="out",path="inline"})"), 64);
  EXPECT_EQ(samples.at("acceld_sessions"), 2);
  EXPECT_GE(samples.at(R"(acceld_device_memory_used_bytes{device="0"})"), 4 << 20);
  EXPECT_GE(samples.at(R"(acceld_device_memory_peak_bytes{device="0"})"),
            samples.at(R"(acceld_device_memory_used_bytes{device="0"})"));
}

TEST_F(DaemonMetricsTest, CallsOfClientsFunctionsAreTimed) {
  ASSERT_NO_FATAL_FAILURE(StartWithMetrics({}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Program program = Parse(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  constexpr std::chrono::milliseconds kPause{30};
  const client::HostCallback slow =
      [kPause](absl::Span<const ir::Literal> operands) -> absl::StatusOr<std::vector<ir::Literal>> {
    std::this_thread::sleep_for(kPause);
    return std::vector<ir::Literal>(operands.begin(), operands.end());
  };
  const client::Array x = *client->Upload(Floats({1, 2, 3, 4}));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client->Execute(program, {x}, {}, {.callbacks = {slow}})->front().Fetch().ok());
  }
  const Samples samples = Scrape();
  EXPECT_EQ(samples.at(R"(acceld_host_call_seconds_count{device="0"})"), 3);
  EXPECT_GE(samples.at(R"(acceld_host_call_seconds_sum{device="0"})"), 3 * 0.03);
}

TEST_F(DaemonMetricsTest, RefusalsAreCountedByCode) {
  ASSERT_NO_FATAL_FAILURE(StartWithMetrics({"--max-sessions", "1"}));
  ASSERT_TRUE(Eventually([this] { return Scrape()["acceld_sessions"] == 0; }));
  const Samples before = Scrape();
  const std::shared_ptr<client::Client> client = Connect();
  EXPECT_FALSE(client::Client::Connect({.address = address()}).ok());
  EXPECT_TRUE(Eventually([&] {
    return ScrapeChanges(before)
               [R"(acceld_rpc_requests_total{method="Channel",code="RESOURCE_EXHAUSTED"})"] == 1;
  }));
  EXPECT_EQ(ScrapeChanges(before)["acceld_sessions_opened_total"], 1);
}

TEST_F(DaemonMetricsTest, OtherPathsAreNotFound) {
  ASSERT_NO_FATAL_FAILURE(StartWithMetrics());
  for (const char* path :
       {"/status.html", "/metricz", "/../etc/passwd", "/metrics/../../etc/passwd"}) {
    const absl::StatusOr<HttpReply> reply = HttpGet(port_, path);
    // Or closed without an answer.
    EXPECT_TRUE(!reply.ok() || reply->code / 100 == 4) << path << reply->body;
  }
  EXPECT_FALSE(Scrape().empty());
}

TEST_F(DaemonMetricsTest, BadRequestsAndSlowScrapersHurtNobody) {
  ASSERT_NO_FATAL_FAILURE(StartWithMetrics());
  for (const char* garbage :
       {"\r\n\r\n", "GET\r\n\r\n", "\xff\xfe\x00\x01\r\n\r\n",
        "POST /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET /metrics HTTP/9.9\r\n\r\n"}) {
    absl::StatusOr<TcpConnection> connection = TcpConnection::Open(port_);
    ASSERT_TRUE(connection.ok()) << connection.status();
    (void)connection->Send(garbage);
  }
  // More half requests and unread answers than there are threads.
  std::vector<TcpConnection> slow;
  for (int i = 0; i < 12; ++i) {
    absl::StatusOr<TcpConnection> connection = TcpConnection::Open(port_);
    ASSERT_TRUE(connection.ok()) << connection.status();
    ASSERT_TRUE(connection->Send(i % 2 == 0 ? "GET /met" : "GET /metrics HTTP/1.1\r\n\r\n").ok());
    slow.push_back(*std::move(connection));
  }
  RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
          Floats(std::vector<float>(16, 2)));
  EXPECT_FALSE(Scrape().empty());
  EXPECT_EQ(Stop(), 0);
}

TEST_F(DaemonMetricsTest, WithoutTheFlagNobodyListens) {
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(daemon_->Log().find("metrics on"), std::string::npos);
}

TEST_F(DaemonMetricsTest, AnAddressThatIsNoneIsAUsageError) {
  const CommandResult result =
      RunCommand({BinDir() + "/acceld", "--metrics-listen", "everywhere:1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("'everywhere:1' is not an address"));
}

}  // namespace
}  // namespace acceld::testing
