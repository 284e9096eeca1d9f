// Programs over several devices of one daemon.

#include "absl/strings/str_cat.h"
#include "client/program_sharding.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Program;
using ::testing::HasSubstr;

// A program for `partitions` partitions in one axis x.
std::string Partitioned(int partitions, absl::string_view body) {
  return absl::StrCat("module @sharded attributes {mhlo.num_partitions = ", partitions,
                      " : i32, mhlo.num_replicas = 1 : i32} {\nsdy.mesh @m = <[\"x\"=", partitions,
                      "]>\n", body, "\n}");
}

// Adds up all elements of a value whose shards all participants have, and adds the sum to each.
std::string SumText(int partitions) {
  return Partitioned(partitions, R"(
    func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %all = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %0 = stablehlo.add %a, %all : tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
}

// Exchanges values forever.
std::string EndlessText(int partitions) {
  return Partitioned(partitions, R"(
    func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.while(%v = %a) : tensor<8xf32>
        cond {
          %sum = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0]
              : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
          %p = stablehlo.compare GE, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %w = stablehlo.abs %v : tensor<8xf32>
          stablehlo.return %w : tensor<8xf32>
        }
      return %0 : tensor<8xf32>
    })");
}

class DaemonShardedTest : public DaemonTest {
 protected:
  static constexpr int kDevices = 4;

  void SetUp() override { ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "4"})); }

  static std::vector<uint32_t> FirstDevices(int count) {
    std::vector<uint32_t> devices;
    for (int i = 0; i < count; ++i) devices.push_back(static_cast<uint32_t>(i));
    return devices;
  }

  // The shards of 1, 2, 3, ... 8.
  static std::vector<std::vector<Array>> Shards(Client& client,
                                                const std::vector<uint32_t>& devices) {
    const size_t size = 8 / devices.size();
    std::vector<std::vector<Array>> shards;
    for (size_t p = 0; p < devices.size(); ++p) {
      std::vector<float> values;
      for (size_t i = 0; i < size; ++i) values.push_back(static_cast<float>(p * size + i + 1));
      shards.push_back({*client.Upload(Floats(values), devices[p])});
    }
    return shards;
  }

  static void ExpectSums(const std::vector<std::vector<Array>>& results) {
    const size_t size = 8 / results.size();
    for (size_t p = 0; p < results.size(); ++p) {
      std::vector<float> expected;
      for (size_t i = 0; i < size; ++i)
        expected.push_back(36 + static_cast<float>(p * size + i + 1));
      const auto value = results[p][0].Fetch();
      ASSERT_TRUE(value.ok()) << value.status();
      EXPECT_TRUE(*value == Floats(expected)) << "participant " << p;
    }
  }
};

TEST_F(DaemonShardedTest, ParticipantsExchangeValues) {
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(SumText(kDevices));
  const std::vector<uint32_t> devices = FirstDevices(kDevices);
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
    const auto results = client->ExecuteSharded(program, Shards(*client, devices), devices);
    ASSERT_TRUE(results.ok()) << results.status();
    ExpectSums(*results);
  }
  // One executable serves all participants.
  EXPECT_EQ(Stats().compiles, 1u);
}

TEST_F(DaemonShardedTest, ResultsFeedTheNextLaunchInAnyOrderOfDevices) {
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(SumText(2));
  const std::vector<uint32_t> devices = {3, 1};
  std::vector<std::vector<Array>> values = Shards(*client, devices);
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
  const std::vector<std::vector<uint32_t>> sets = {{0, 1}, {1, 0}, {1, 2}, {2, 0}, {3, 2}};
  std::vector<std::shared_ptr<Client>> clients;
  for (size_t i = 0; i < sets.size(); ++i) clients.push_back(Connect());
  const Program program = Parse(SumText(2));
  std::vector<std::vector<std::vector<Array>>> results;
  for (int round = 0; round < 50; ++round) {
    for (size_t i = 0; i < sets.size(); ++i) {
      auto launched = clients[i]->ExecuteSharded(program, Shards(*clients[i], sets[i]), sets[i]);
      ASSERT_TRUE(launched.ok()) << launched.status();
      results.push_back(*std::move(launched));
    }
  }
  for (const auto& launched : results) ExpectSums(launched);
}

TEST_F(DaemonShardedTest, CancelledParticipantsEndTheLaunchEverywhere) {
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = FirstDevices(kDevices);
  const auto results =
      client->ExecuteSharded(Parse(EndlessText(kDevices)), Shards(*client, devices), devices);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_TRUE(client->Cancel({(*results)[2][0]}, "enough").ok());
  for (const auto& of_participant : *results) {
    EXPECT_EQ(of_participant[0].Await().code(), absl::StatusCode::kCancelled);
  }
  const auto after =
      client->ExecuteSharded(Parse(SumText(kDevices)), Shards(*client, devices), devices);
  ASSERT_TRUE(after.ok()) << after.status();
  ExpectSums(*after);
}

TEST_F(DaemonShardedTest, ADeadlineEndsAllParticipants) {
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = FirstDevices(kDevices);
  const auto results =
      client->ExecuteSharded(Parse(EndlessText(kDevices)), Shards(*client, devices), devices,
                             {.timeout = std::chrono::milliseconds(50)});
  ASSERT_TRUE(results.ok()) << results.status();
  for (const auto& of_participant : *results) {
    EXPECT_EQ(of_participant[0].Await().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST_F(DaemonShardedTest, AFailedInputFailsAllResults) {
  const std::shared_ptr<Client> client = Connect();
  const std::vector<uint32_t> devices = FirstDevices(2);
  const Program endless = Parse(EndlessText(2));
  const auto lost = client->ExecuteSharded(endless, Shards(*client, devices), devices);
  ASSERT_TRUE(lost.ok()) << lost.status();
  ASSERT_TRUE(client->Cancel({(*lost)[0][0]}, "on purpose").ok());
  const auto results = client->ExecuteSharded(Parse(SumText(2)), *lost, devices);
  ASSERT_TRUE(results.ok()) << results.status();
  for (const auto& of_participant : *results) {
    EXPECT_EQ(of_participant[0].Await().code(), absl::StatusCode::kCancelled);
  }
}

TEST_F(DaemonShardedTest, WrongNumbersOfDevicesAndArgumentsAreRefused) {
  const std::shared_ptr<Client> client = Connect();
  const Program program = Parse(SumText(kDevices));
  const std::vector<uint32_t> devices = FirstDevices(kDevices);
  const std::vector<uint32_t> two = FirstDevices(2);
  EXPECT_THAT(
      std::string(client->ExecuteSharded(program, Shards(*client, two), two).status().message()),
      HasSubstr("2 devices for a program of 4 processes"));
  EXPECT_THAT(std::string(client->Execute(program, Shards(*client, {0})[0]).status().message()),
              HasSubstr("processes"));
  const auto twice = client->ExecuteSharded(program, Shards(*client, devices), {0, 1, 2, 2});
  ASSERT_TRUE(twice.ok());
  EXPECT_THAT(std::string((*twice)[0][0].Await().message()), HasSubstr("device 2 is given twice"));
}

}  // namespace
}  // namespace acceld::testing
