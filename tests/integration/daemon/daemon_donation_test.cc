// Arrays that are donated to executions, on the real daemon.

#include <string>
#include <vector>

#include "client/tracing.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Donate;
using ::testing::HasSubstr;

// x + y, which may be written over both.
constexpr char kAddText[] = R"(
func.func @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %z = stablehlo.add %x, %y : tensor<1000xf32>
  return %z : tensor<1000xf32>
}
)";

ir::Literal Full(float value) { return ir::Literal::Filled({ir::DType::kF32, {1000}}, value); }

class DaemonDonationTest : public DaemonTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(Start());
    client_ = Connect();
    x_ = *client_->Upload(Full(1));
    y_ = *client_->Upload(Full(2));
  }
  void TearDown() override {
    x_ = y_ = Array();
    client_.reset();
    DaemonTest::TearDown();
  }
  static void ExpectDonated(const absl::Status& status) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("the array tensor<1000xf32> was donated to program main"));
  }

  const client::Program add_ = Parse(kAddText);
  std::shared_ptr<Client> client_;
  Array x_, y_;
};

TEST_F(DaemonDonationTest, ADonatedArrayIsConsumedAndEveryCopyOfItSaysSo) {
  const Array copy = x_;
  const std::vector<Array> z = *client_->Execute(add_, {Donate(x_), y_});
  EXPECT_TRUE(*z[0].Fetch() == Full(3));
  ExpectDonated(x_.Await());
  ExpectDonated(copy.Fetch().status());
  ExpectDonated(copy.Map().status());
  ExpectDonated(copy.Ready().Await().status());
  ExpectDonated(copy.TakeBack());
  ExpectDonated(client_->Execute(add_, {copy, y_}).status());
  ExpectDonated(client_->Execute(add_, {y_, Donate(copy)}).status());
  ExpectDonated(client_->Publish(copy, "gone"));
  EXPECT_EQ(copy.type().ToString(), "tensor<1000xf32>");
  EXPECT_TRUE(*y_.Fetch() == Full(2));
}

TEST_F(DaemonDonationTest, ArgumentsAreDonatedByTheirNumbers) {
  const std::vector<Array> z = *client_->Execute(add_, {x_, y_}, {}, {.donated = {1}});
  EXPECT_TRUE(*z[0].Fetch() == Full(3));
  ExpectDonated(y_.Await());
  EXPECT_TRUE(x_.Await().ok());
}

TEST_F(DaemonDonationTest, WhatIsRefusedConsumesNothing) {
  for (const absl::Status& status :
       {client_->Execute(add_, {Donate(x_), x_}).status(),
        client_->Execute(add_, {Donate(x_), Donate(x_)}).status(),
        client_->Execute(add_, {x_, y_}, {}, {.donated = {2}}).status(),
        client_->Execute(add_, {Donate(x_)}).status()}) {
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  }
  EXPECT_TRUE(*x_.Fetch() == Full(1));
}

TEST_F(DaemonDonationTest, WhatIsBeingFetchedOrIsStillToBeReadKeepsItsValue) {
  const auto fetched = x_.FetchAsync();
  const std::vector<Array> read = *client_->Execute(add_, {x_, x_});
  const std::vector<Array> z = *client_->Execute(add_, {Donate(x_), y_});
  EXPECT_TRUE(*z[0].Fetch() == Full(3));
  EXPECT_TRUE(*read[0].Fetch() == Full(2));
  EXPECT_TRUE(*fetched.Await() == Full(1));
}

TEST_F(DaemonDonationTest, ANamedArrayKeepsItsValue) {
  ASSERT_TRUE(client_->Publish(x_, "weights").ok());
  const std::vector<Array> z = *client_->Execute(add_, {Donate(x_), y_});
  EXPECT_TRUE(*z[0].Fetch() == Full(3));
  ExpectDonated(x_.Await());
  EXPECT_TRUE(*client_->Open("weights")->Fetch() == Full(1));
}

TEST_F(DaemonDonationTest, AnExecutionThatIsCancelledInTimeGivesItBack) {
  const Array endless =
      client_->Execute(Parse(kCountText), {*client_->Upload(Int64(kEndless))})->front();
  const client::Program program = Parse(R"(
func.func @main(%x: tensor<1000xf32>, %n: tensor<i64>) -> tensor<1000xf32> {
  %f = stablehlo.convert %n : (tensor<i64>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %z = stablehlo.add %x, %b : tensor<1000xf32>
  return %z : tensor<1000xf32>
}
)");
  const std::vector<Array> z = *client_->Execute(program, {Donate(x_), endless});
  ASSERT_TRUE(IsQueued(2));
  ASSERT_TRUE(z[0].Cancel("not wanted").ok());
  EXPECT_TRUE(absl::IsCancelled(z[0].Await()));
  // It may have been launched already, behind the endless one: then it is lost.
  const absl::Status back = x_.TakeBack();
  if (back.ok()) {
    EXPECT_TRUE(*x_.Fetch() == Full(1));
  } else {
    ExpectDonated(back);
  }
  EXPECT_TRUE(endless.Cancel().ok());
}

TEST_F(DaemonDonationTest, AnExecutionThatIsPoisonedGivesItBack) {
  const Array broken =
      client_->Execute(Parse(kCountText), {*client_->Upload(Int64(kEndless))})->front();
  ASSERT_TRUE(broken.Cancel("over").ok());
  EXPECT_TRUE(absl::IsCancelled(broken.Await()));
  const client::Program program = Parse(R"(
func.func @main(%x: tensor<1000xf32>, %n: tensor<i64>) -> tensor<1000xf32> {
  return %x : tensor<1000xf32>
}
)");
  const std::vector<Array> z = *client_->Execute(program, {Donate(x_), broken});
  EXPECT_TRUE(absl::IsCancelled(z[0].Await()));
  ASSERT_TRUE(x_.TakeBack().ok());
  EXPECT_TRUE(*x_.Fetch() == Full(1));
  // Then it can be donated again.
  const std::vector<Array> sum = *client_->Execute(add_, {Donate(x_), y_});
  EXPECT_TRUE(*sum[0].Fetch() == Full(3));
}

TEST_F(DaemonDonationTest, AChainThatIsSubmittedAheadIsRightAndWorksInOnePlace) {
  Array x = x_;
  x_ = Array();
  for (int i = 0; i < 300; ++i) x = client_->Execute(add_, {Donate(x), y_})->front();
  EXPECT_TRUE(*x.Fetch() == Full(601));
}

TEST_F(DaemonDonationTest, AProgramSaysWhatMayBeDonated) {
  const client::Program program = Parse(R"(
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %z: tensor<2xf32> {jax.buffer_donor = true}) -> tensor<2xf32> {
  %s = stablehlo.add %x, %y : tensor<2xf32>
  return %s : tensor<2xf32>
}
)");
  EXPECT_EQ(program.DonatedArguments(), (std::vector<uint32_t>{1, 2}));
  // But nothing is donated unless the caller says so.
  const std::vector<Array> arguments = {*client_->Upload(Floats({1, 2})),
                                        *client_->Upload(Floats({3, 4})),
                                        *client_->Upload(Floats({5, 6}))};
  EXPECT_TRUE(*client_->Execute(program, arguments)->front().Fetch() == Floats({4, 6}));
  EXPECT_TRUE(arguments[1].Await().ok());
  EXPECT_TRUE(*client_->Execute(program, arguments, {}, {.donated = program.DonatedArguments()})
                   ->front()
                   .Fetch() == Floats({4, 6}));
  EXPECT_TRUE(absl::IsFailedPrecondition(arguments[1].Await()));
}

TEST_F(DaemonDonationTest, TracedFunctionsTakeDonatedArguments) {
  client::Function add(client_,
                       [](const client::Tensor& a, const client::Tensor& b) { return a + b; });
  EXPECT_TRUE(*add(Donate(x_), y_)->Fetch() == Full(3));
  EXPECT_TRUE(absl::IsFailedPrecondition(x_.Await()));
}

}  // namespace
}  // namespace acceld::testing
