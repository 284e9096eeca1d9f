// What runs on the daemon's devices: long chains, too little memory, several devices.

#include "client/tracing.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::Tensor;
using ::testing::HasSubstr;

class DaemonDevicesTest : public DaemonTest {
 protected:
  static ir::Literal Full(int64_t size, float value) {
    return ir::Literal::Filled({ir::DType::kF32, {size}}, value);
  }
};

TEST_F(DaemonDevicesTest, TenThousandDependentExecutionsRunInLittleMemory) {
  constexpr int64_t kSize = 16 << 10;
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<Client> client = Connect();
  Function increment(client, [](const Tensor& x) { return x + 1; });
  Array y = *client->Upload(Full(kSize, 0));
  for (int i = 0; i < 10'000; ++i) y = *increment(y);
  EXPECT_TRUE(*y.Fetch() == Full(kSize, 10'000));
  // All of them together would have 640 MB.
  EXPECT_LT(Devices()[client->device()].memory_peak_bytes, 64u << 20);
  EXPECT_EQ(Stats().compiles, 1u);
  EXPECT_EQ(Stats().executions, 10'000u);
  EXPECT_TRUE(Eventually([&] { return Stats().arrays == 1; }));
}

TEST_F(DaemonDevicesTest, TooLargeARequestFailsAloneWithAllThatIsComputedFromIt) {
  ASSERT_NO_FATAL_FAILURE(Start({"--device-memory", "16MiB"}));
  const std::shared_ptr<Client> client = Connect();
  Function spread(
      client, [](const Tensor& x) { return BroadcastTo(x, {1024, 1024, 8}) + 1; }, "spread");
  Function total(client, [](const Tensor& x) { return Sum(x); }, "total");
  Function increment(client, [](const Tensor& x) { return x + 1; });
  const Array x = *client->Upload(Full(8, 1));
  const Array before = *increment(x);
  const Array large = *spread(x);
  const Array sum = *total(large);
  const Array after = *increment(sum);

  const absl::Status error = large.Await();
  EXPECT_EQ(error.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(error.message()), HasSubstr("33554432"));
  EXPECT_THAT(std::string(error.message()), HasSubstr("program spread"));
  EXPECT_EQ(sum.Await(), error);
  EXPECT_EQ(after.Fetch().status(), error);

  EXPECT_TRUE(*x.Fetch() == Full(8, 1));
  EXPECT_TRUE(*before.Fetch() == Full(8, 2));
  EXPECT_TRUE(*increment(before)->Fetch() == Full(8, 3));
  EXPECT_EQ(client->Upload(Full(8 << 20, 1))->Await().code(), absl::StatusCode::kResourceExhausted);
  const absl::Status fits = client->Upload(Full(1 << 20, 1))->Await();
  EXPECT_TRUE(fits.ok()) << fits;
  EXPECT_TRUE(client->status().ok());
}

TEST_F(DaemonDevicesTest, ArraysOfOneDeviceFeedExecutionsOnAnother) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "2"}));
  const std::shared_ptr<Client> client = Connect();
  ASSERT_EQ(client->devices().size(), 2u);
  Function add(client, [](const Tensor& a, const Tensor& b) { return a + b; });
  const Array x = *client->Upload(Full(1000, 1), 0);
  const Array y = *client->Upload(Full(1000, 2), 1);
  EXPECT_EQ(y.device(), 1u);
  const Array on_0 = *add.With({.device = 0})(x, y);
  const Array on_1 = *add.With({.device = 1})(x, on_0);
  const Array back = *add.With({.device = 0})(on_1, on_1);
  EXPECT_EQ(on_0.device(), 0u);
  EXPECT_EQ(on_1.device(), 1u);
  EXPECT_TRUE(*back.Fetch() == Full(1000, 8));
  EXPECT_TRUE(*on_1.Fetch() == Full(1000, 4));
  // The code is for the architecture, not for one device.
  EXPECT_EQ(Stats().compiles, 1u);
  for (const client::DeviceInfo& device : Devices()) {
    EXPECT_GT(device.executions, 0u) << device.id;
  }
  EXPECT_EQ(client->Upload(Full(1, 1), 2).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(DaemonDevicesTest, TheSessionsDeviceIsMeantWhereNoneIsGiven) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "2"}));
  const std::shared_ptr<Client> client =
      *Client::Connect({.address = address(), .device = "cpu:1"});
  const Array x = *client->Upload(Full(16, 1));
  EXPECT_EQ(x.device(), 1u);
  EXPECT_EQ(client->Execute(Parse(kIncrementText), {x})->front().device(), 1u);
  EXPECT_EQ(client->Upload(Full(16, 1), 0)->device(), 0u);
  EXPECT_EQ(Client::Connect({.address = address(), .device = "cpu:2"}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(DaemonDevicesTest, SessionsThatNameNoDeviceAreSpread) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "3"}));
  const std::shared_ptr<Client> first = Connect(),
                                named = *Client::Connect({.address = address(), .device = "cpu:1"});
  std::shared_ptr<Client> second = *Client::Connect({.address = address(), .device = "cpu"});
  const std::shared_ptr<Client> third = Connect(), fourth = Connect();
  EXPECT_EQ(first->device(), 0u);
  EXPECT_EQ(second->device(), 1u) << "for whoever names a device was given none";
  EXPECT_EQ(third->device(), 2u);
  EXPECT_EQ(fourth->device(), 0u);
  EXPECT_EQ(third->Upload(Full(16, 1))->device(), 2u);
  // Who goes leaves room.
  second.reset();
  EXPECT_TRUE(Eventually([&] { return Stats().sessions == 4; }));
  EXPECT_EQ(Connect()->device(), 1u);
  const absl::Status status = Client::Connect({.address = address(), .device = "tpu"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no device 'tpu'; the daemon has cpu:0, cpu:1, cpu:2"));
}

TEST_F(DaemonDevicesTest, AnEndlessLoopOnOneDeviceLeavesTheOtherAlone) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cpu-devices", "2"}));
  std::shared_ptr<Client> busy = Connect();
  const Array endless =
      busy->Execute(Parse(kCountText), {*busy->Upload(Int64(kEndless))}, 0)->front();
  const std::shared_ptr<Client> client = Connect();
  const Array x = *client->Upload(Full(16, 1), 1);
  const Array y = client->Execute(Parse(kIncrementText), {x}, 1)->front();
  EXPECT_TRUE(*y.Fetch() == Full(16, 2));
  // An array that waits for the loop belongs to the loop's session; its end frees device 0.
  busy.reset();
  EXPECT_EQ(endless.Await().code(), absl::StatusCode::kUnavailable);
  const Array z = client->Execute(Parse(kIncrementText), {x}, 0)->front();
  EXPECT_TRUE(*z.Fetch() == Full(16, 2));
}

}  // namespace
}  // namespace acceld::testing
