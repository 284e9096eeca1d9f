// Programs over several devices of one daemon.

#include <algorithm>
#include <cstdlib>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/program_sharding.h"
#include "common/ir/text.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/support/daemon/sharded_work.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Program;
using ::testing::HasSubstr;

class DaemonShardedTest : public DaemonTest {
 protected:
  // Four CPU devices, or the GPUs of the machine, which have the first numbers: four of them, or
  // two.
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "4"}));
    if (!IsOnGpus()) return;
    const std::vector<client::DeviceInfo> devices = Devices();
    const auto gpus = std::count_if(devices.begin(), devices.end(),
                                    [](const auto& info) { return info.kind == "cuda"; });
    if (gpus < 2) GTEST_SKIP() << "the machine has " << gpus << " GPU";
    num_devices_ = gpus < 4 ? 2 : 4;
  }

  static bool IsOnGpus() {
    const char* const device = std::getenv("ACCELD_DEVICE");
    return device != nullptr && absl::StartsWith(device, "cuda");
  }

  static std::vector<uint32_t> FirstDevices(int count) {
    std::vector<uint32_t> devices;
    for (int i = 0; i < count; ++i) devices.push_back(static_cast<uint32_t>(i));
    return devices;
  }

  static Shards NewShards(Client& client, const std::vector<uint32_t>& devices) {
    absl::StatusOr<Shards> shards = UploadShards(client, devices);
    EXPECT_TRUE(shards.ok()) << shards.status();
    return *std::move(shards);
  }
  // That the results are those of AddSumText.
  static void ExpectSums(const Shards& results) {
    const absl::Status status = CheckSums(results);
    EXPECT_TRUE(status.ok()) << status;
  }

  int num_devices_ = 4;
};

TEST_F(DaemonShardedTest, TellsWhatOneProcessRuns) {
  if (num_devices_ < 4) GTEST_SKIP() << "the machine has fewer than 4 GPUs";
  const std::shared_ptr<Client> client = Connect();
  const auto partitioned = client->Partition(Parse(AddSumText(4)));
  ASSERT_TRUE(partitioned.ok()) << partitioned.status();
  EXPECT_EQ(partitioned->sharding->arguments[0].ToString(), "tensor<2xf32>");
  const std::string text = ir::PrintModule(*partitioned->program);
  EXPECT_THAT(text, HasSubstr("mhlo.num_partitions = 4"));
  EXPECT_THAT(text, HasSubstr("@main(%0: tensor<2xf32>) -> tensor<2xf32>"));
  EXPECT_THAT(text, HasSubstr("stablehlo.all_reduce"));
  EXPECT_EQ(Stats().compiles, 0u);
  // It is a program of the same processes, with the same results.
  const std::vector<uint32_t> devices = FirstDevices(4);
  const auto results = client->ExecuteSharded(Parse(text), NewShards(*client, devices), devices);
  ASSERT_TRUE(results.ok()) << results.status();
  ExpectSums(*results);
  const auto of_one = client->Partition(Parse(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      return %a : tensor<2xf32>
    })"));
  EXPECT_EQ(of_one.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(DaemonShardedTest, ParticipantsExchangeValues) {
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(AddSumText(num_devices_));
  const std::vector<uint32_t> devices = FirstDevices(num_devices_);
  const auto sharding = client->ShardingOf(program);
  ASSERT_TRUE(sharding.ok()) << sharding.status();
  EXPECT_EQ((*sharding)->arguments[0].ToString(), "tensor<2xf32>");
  // The daemon knows the types of the shards; those of the whole values may be given.
  EXPECT_TRUE(client->Compile(program, {}).Await().ok());
  EXPECT_TRUE(client->Compile(program, {{ir::DType::kF32, {8}}}).Await().ok());
  EXPECT_THAT(client->Compile(program, {{ir::DType::kF32, {2}}}).Await().status().message(),
              HasSubstr("expected tensor<8xf32>"));
  EXPECT_EQ((*sharding)->result_shardings[0].dimensions[0].axes.size(), 1u);
  for (int i = 0; i < 100; ++i) {
    const auto results = client->ExecuteSharded(program, NewShards(*client, devices), devices);
    ASSERT_TRUE(results.ok()) << results.status();
    ExpectSums(*results);
  }
  // One executable serves all participants.
  EXPECT_EQ(Stats().compiles, 1u);
}

TEST_F(DaemonShardedTest, ResultsFeedTheNextLaunchInAnyOrderOfDevices) {
  if (num_devices_ < 4) GTEST_SKIP() << "the machine has fewer than 4 GPUs";
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(AddSumText(2));
  const std::vector<uint32_t> devices = {3, 1};
  Shards values = NewShards(*client, devices);
  for (int i = 0; i < 20; ++i) {
    auto results = client->ExecuteSharded(program, values, devices);
    ASSERT_TRUE(results.ok()) << results.status();
    values = *std::move(results);
  }
  EXPECT_EQ(values[0][0].device(), 3u);
  const absl::Status status = values[0][0].Await();
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(DaemonShardedTest, SessionsWithOverlappingDevicesGoOn) {
  if (num_devices_ < 4) GTEST_SKIP() << "the machine has fewer than 4 GPUs";
  const std::vector<std::vector<uint32_t>> sets = {{0, 1}, {1, 0}, {1, 2}, {2, 0}, {3, 2}};
  std::vector<std::shared_ptr<Client>> clients;
  for (size_t i = 0; i < sets.size(); ++i) clients.push_back(Connect());
  const Program program = Parse(AddSumText(2));
  std::vector<Shards> results;
  for (int round = 0; round < 50; ++round) {
    for (size_t i = 0; i < sets.size(); ++i) {
      auto launched = clients[i]->ExecuteSharded(program, NewShards(*clients[i], sets[i]), sets[i]);
      ASSERT_TRUE(launched.ok()) << launched.status();
      results.push_back(*std::move(launched));
    }
  }
  for (const auto& launched : results) ExpectSums(launched);
}

TEST_F(DaemonShardedTest, CancelledParticipantsEndTheLaunchEverywhere) {
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = FirstDevices(num_devices_);
  const auto results = client->ExecuteSharded(Parse(EndlessExchangeText(num_devices_)),
                                              NewShards(*client, devices), devices);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_TRUE(client->Cancel({(*results)[2][0]}, "enough").ok());
  for (const auto& of_participant : *results) {
    EXPECT_EQ(of_participant[0].Await().code(), absl::StatusCode::kCancelled);
  }
  const auto after =
      client->ExecuteSharded(Parse(AddSumText(num_devices_)), NewShards(*client, devices), devices);
  ASSERT_TRUE(after.ok()) << after.status();
  ExpectSums(*after);
}

TEST_F(DaemonShardedTest, ADeadlineEndsAllParticipants) {
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = FirstDevices(num_devices_);
  const auto results =
      client->ExecuteSharded(Parse(EndlessExchangeText(num_devices_)), NewShards(*client, devices),
                             devices, {.timeout = std::chrono::milliseconds(50)});
  ASSERT_TRUE(results.ok()) << results.status();
  for (const auto& of_participant : *results) {
    EXPECT_EQ(of_participant[0].Await().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST_F(DaemonShardedTest, AFailedInputFailsAllResults) {
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = FirstDevices(2);
  const Program endless = Parse(EndlessExchangeText(2));
  const auto lost = client->ExecuteSharded(endless, NewShards(*client, devices), devices);
  ASSERT_TRUE(lost.ok()) << lost.status();
  ASSERT_TRUE(client->Cancel({(*lost)[0][0]}, "on purpose").ok());
  const auto results = client->ExecuteSharded(Parse(AddSumText(2)), *lost, devices);
  ASSERT_TRUE(results.ok()) << results.status();
  for (const auto& of_participant : *results) {
    EXPECT_EQ(of_participant[0].Await().code(), absl::StatusCode::kCancelled);
  }
}

TEST_F(DaemonShardedTest, WrongNumbersOfDevicesAndArgumentsAreRefused) {
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(AddSumText(num_devices_));
  const std::vector<uint32_t> devices = FirstDevices(num_devices_);
  const std::vector<uint32_t> two = FirstDevices(2);
  EXPECT_THAT(
      std::string(client->ExecuteSharded(program, NewShards(*client, two), two).status().message()),
      HasSubstr("2 devices for a program of 4 processes"));
  EXPECT_THAT(std::string(client->Execute(program, NewShards(*client, {0})[0]).status().message()),
              HasSubstr("processes"));
  const auto twice = client->ExecuteSharded(program, NewShards(*client, devices), {0, 1, 2, 2});
  ASSERT_TRUE(twice.ok());
  EXPECT_THAT(std::string((*twice)[0][0].Await().message()), HasSubstr("device 2 is given twice"));
}

// A program of which process 1 adds up the values of both, while process 0 runs `otherwise`, which
// makes %2.
std::string DivergingText(absl::string_view otherwise) {
  return absl::StrCat(R"(
    module @diverging attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
      func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        %id = stablehlo.partition_id : tensor<ui32>
        %one = stablehlo.constant dense<1> : tensor<ui32>
        %is_one = stablehlo.compare EQ, %id, %one : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
        %0 = "stablehlo.if"(%is_one) ({
          %1 = "stablehlo.all_reduce"(%x) ({
            ^bb0(%a: tensor<f32>, %b: tensor<f32>):
              %s = stablehlo.add %a, %b : tensor<f32>
              stablehlo.return %s : tensor<f32>
          }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
              replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}
            : (tensor<2xf32>) -> tensor<2xf32>
          stablehlo.return %1 : tensor<2xf32>
        }, {
          )",
                      otherwise, R"(
          stablehlo.return %2 : tensor<2xf32>
        }) : (tensor<i1>) -> tensor<2xf32>
        return %0 : tensor<2xf32>
      }
    })");
}

TEST_F(DaemonShardedTest, ADeadlockIsAnErrorAtOnceThatNamesTheOp) {
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(DivergingText("%2 = stablehlo.negate %x : tensor<2xf32>"));
  const std::vector<uint32_t> devices = {3, 0};
  const Array x = *client->Upload(Floats({1, 2}));
  const auto results = client->ExecuteSharded(program, {{x}, {x}}, devices);
  ASSERT_TRUE(results.ok()) << results.status();
  const absl::Status status = (*results)[1][0].Await();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("program diverging: deadlock: participant 1 waits in all_reduce of "
                        "tensor<2xf32> (step 0), participant 0 has ended"));
}

TEST_F(DaemonShardedTest, AParticipantThatFailsEndsTheLaunchEverywhereWithItsReason) {
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(DivergingText(
      "%2 = stablehlo.custom_call @acceld.host_callback() {acceld.callback = 0 : i64} : () -> "
      "tensor<2xf32>"));
  const client::HostCallback fails = [](auto) -> absl::StatusOr<std::vector<ir::Literal>> {
    return absl::DataLossError("the file is gone");
  };
  const std::vector<uint32_t> devices = {2, 1};
  const Array x = *client->Upload(Floats({1, 2}));
  for (int i = 0; i < 10; ++i) {
    const auto results =
        client->ExecuteSharded(program, {{x}, {x}}, devices, {.callbacks = {fails}});
    ASSERT_TRUE(results.ok()) << results.status();
    const absl::Status first = (*results)[0][0].Await(), second = (*results)[1][0].Await();
    EXPECT_EQ(first.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(first.message()), HasSubstr("the file is gone"));
    EXPECT_EQ(second, first);
  }
}

TEST_F(DaemonShardedTest, TheTraceHasTheParticipantsAndTheirCollectives) {
  if (IsOnGpus()) GTEST_SKIP() << "only CPU devices say when they exchange values";
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = {3, 1, 0, 2};
  for (int i = 0; i < 2; ++i) {
    const auto results = client->ExecuteSharded(Parse(AddSumText(num_devices_)),
                                                NewShards(*client, devices), devices);
    ASSERT_TRUE(results.ok()) << results.status();
    ExpectSums(*results);
  }
  // Launches are written down just after their results are known.
  std::map<uint64_t, std::map<uint32_t, uint32_t>> placed, exchanged;
  ASSERT_TRUE(Eventually([&] {
    placed.clear();
    exchanged.clear();
    const absl::StatusOr<std::vector<client::TraceSpan>> spans = Admin().GetTrace();
    if (!spans.ok()) return false;
    for (const client::TraceSpan& span : *spans) {
      if (span.gang == 0) continue;
      const bool is_collective = span.kind == SpanKind::kCollective;
      (is_collective ? exchanged : placed)[span.gang][span.participant] = span.track;
      if (!is_collective) continue;
      EXPECT_EQ(span.name, "all_reduce");
      EXPECT_EQ(span.bytes, 4);
      EXPECT_LE(span.begin_ns + span.wait_ns, span.end_ns);
    }
    return exchanged.size() == 2 && placed == exchanged && exchanged.begin()->second.size() == 4 &&
           exchanged.rbegin()->second.size() == 4;
  }));
  EXPECT_THAT(placed.begin()->second, ::testing::ElementsAre(std::pair(0, 3), std::pair(1, 1),
                                                             std::pair(2, 0), std::pair(3, 2)));
  const CommandResult written =
      Accelctl({"trace", "-o", folder_.path() + "/trace.json", "--seconds", "60"});
  EXPECT_EQ(written.exit_code, 0) << written.output;
  EXPECT_THAT(ReadText(folder_.path() + "/trace.json"),
              AllOf(HasSubstr("\"collectives\""), HasSubstr("\"devices\":[3,1,0,2]")));
}

TEST_F(DaemonShardedTest, ListsSayWhichDevicesAreInAGang) {
  if (num_devices_ < 4) GTEST_SKIP() << "the machine has fewer than 4 GPUs";
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = {3, 1};
  const auto results =
      client->ExecuteSharded(Parse(EndlessExchangeText(2)), NewShards(*client, devices), devices);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_TRUE(Eventually([this] { return Stats().gangs_running == 1; }));
  std::vector<uint64_t> gangs;
  for (const client::DeviceInfo& device : Devices()) gangs.push_back(device.gangs);
  gangs.resize(4);  // CPU devices follow GPUs
  EXPECT_THAT(gangs, ::testing::ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(Accelctl({"devices"}).output, HasSubstr("\ndevices in gangs: 1, 3\n"));
  EXPECT_TRUE(client->Cancel({(*results)[0][0]}, "enough").ok());
  EXPECT_TRUE(Eventually([this] { return Stats().gangs_running == 0; }));
}

}  // namespace
}  // namespace acceld::testing
