// Clients that want more memory than the device has.

#include <numeric>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/support/mapped_file.h"

namespace acceld::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kElements = 65536;  // 256 KiB

// f32[65536] -> f32[65536], x + 1.
constexpr char kAddOneText[] = R"(
module @add_one {
  func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<65536xf32>
    %y = stablehlo.add %x, %one : tensor<65536xf32>
    return %y : tensor<65536xf32>
  }
})";

std::vector<float> Counting(float first) {
  std::vector<float> values(kElements);
  std::iota(values.begin(), values.end(), first);
  return values;
}

class DaemonMemoryTest : public DaemonTest {};

TEST_F(DaemonMemoryTest, ClientsThatOvercommitTheDeviceThreefoldGetRightResults) {
  ASSERT_NO_FATAL_FAILURE(Start({"--device-memory", "4MiB", "--host-memory", "64MiB"}));
  constexpr int kArrays = 24;  // 6 MiB for each of two clients
  constexpr int kRounds = 5;
  auto work = [this](float base) {
    const std::shared_ptr<client::Client> client = Connect();
    const client::Program program = Parse(kAddOneText);
    std::vector<client::Array> arrays;
    for (int i = 0; i < kArrays; ++i) {
      arrays.push_back(*client->Upload(Floats(Counting(base + static_cast<float>(i)))));
    }
    for (int round = 0; round < kRounds; ++round) {
      for (client::Array& array : arrays) array = (*client->Execute(program, {array}))[0];
    }
    for (int i = 0; i < kArrays; ++i) {
      const absl::StatusOr<ir::Literal> value = arrays[static_cast<size_t>(i)].Fetch();
      ASSERT_TRUE(value.ok()) << value.status();
      EXPECT_EQ(*value, Floats(Counting(base + static_cast<float>(i + kRounds))));
    }
  };
  std::thread other(work, 1000.0f);
  work(0.0f);
  other.join();
  EXPECT_TRUE(Eventually([&] { return Stats().spilled_bytes == 0; }));
  const client::ServerStats stats = Stats();
  EXPECT_GT(stats.spills, 0u);
  EXPECT_GT(stats.restores, 0u);
  EXPECT_EQ(stats.execution_failures, 0u);
}

TEST_F(DaemonMemoryTest, ClientsThatMapANamedArrayReadTheSameMemory) {
  ASSERT_NO_FATAL_FAILURE(Start({}));
  const ir::Literal weights = Floats(Counting(1));
  const std::shared_ptr<client::Client> publisher = Connect(), reader = Connect();
  ASSERT_TRUE(publisher->Publish(*publisher->Upload(weights), "weights").ok());
  const absl::StatusOr<SharedBytes> one = publisher->Open("weights")->Map();
  const client::Array opened = *reader->Open("weights");
  const absl::StatusOr<SharedBytes> other = opened.Map();
  ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
  EXPECT_EQ(one->view, weights.bytes());
  EXPECT_EQ(other->view, weights.bytes());
  EXPECT_EQ(MappedFileAt(one->view.data()), MappedFileAt(other->view.data()));
  // What is computed from it is another array.
  const SharedBytes sum = *(*reader->Execute(Parse(kAddOneText), {opened}))[0].Map();
  EXPECT_EQ(sum.view, Floats(Counting(2)).bytes());
  // A daemon that is gone takes nothing along.
  Stop();
  EXPECT_EQ(other->view, weights.bytes());
}

TEST_F(DaemonMemoryTest, WithoutHostMemoryTheRequestThatDoesNotFitFailsAlone) {
  ASSERT_NO_FATAL_FAILURE(Start({"--device-memory", "600KiB", "--host-memory", "0"}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Array first = *client->Upload(Floats(Counting(0)));
  const client::Array second = *client->Upload(Floats(Counting(1)));
  EXPECT_TRUE(first.Fetch().ok() && second.Fetch().ok());
  const client::Array third = *client->Upload(Floats(Counting(2)));
  const absl::Status refused = third.Fetch().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(refused.message()),
      AllOf(HasSubstr("upload of tensor<65536xf32>: device memory: 262144 bytes do not fit"),
            HasSubstr("spilled arrays use 0 of 0 bytes of host memory")));
  EXPECT_TRUE(first.Fetch().ok());
}

}  // namespace
}  // namespace acceld::testing
