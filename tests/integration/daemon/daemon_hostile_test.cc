// Clients that mean harm, at the real daemon.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

class DaemonHostileTest : public DaemonTest {
 protected:
  // It lives, works and holds nothing of those who are gone.
  void ExpectServes() {
    RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
            Floats(std::vector<float>(16, 2)));
    EXPECT_TRUE(Eventually([this] {
      const client::ServerStats stats = Stats();
      return stats.sessions == 0 && stats.arrays == 0;
    }));
  }
};

TEST_F(DaemonHostileTest, GarbageGetsAStatus) {
  ASSERT_NO_FATAL_FAILURE(Start({"--device-memory", "64MiB"}));
  RawClient(address()).SendGarbage(20261121, 2000);
  ExpectServes();
}

TEST_F(DaemonHostileTest, HugeTypesAndProgramsGetAStatus) {
  ASSERT_NO_FATAL_FAILURE(Start({"--device-memory", "64MiB"}));
  RawClient raw(address());
  v1::Command put = Put(1);
  v1::TensorType& type = *put.mutable_put()->mutable_literal()->mutable_type();
  type.clear_dims();
  for (int i = 0; i < 3; ++i) type.add_dims(int64_t{1} << 40);
  v1::Command begin;
  begin.mutable_begin_upload()->set_handle(2);
  *begin.mutable_begin_upload()->mutable_type() = type;
  // A splat of one element, 4 TiB when it is spread out.
  v1::Command splat = Put(3);
  v1::Literal& literal = *splat.mutable_put()->mutable_literal();
  literal.mutable_type()->set_dims(0, int64_t{1} << 40);
  literal.set_data(std::string(4, 'x'));
  std::string deep = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n";
  for (int i = 0; i < 20'000; ++i) deep += "\"stablehlo.case\"(%x) ({\n";
  const RawClient::Outcome outcome =
      raw.Send({Hello(), Register(deep), put, begin, splat, Execute(1, 1, 4), Fetch(1, 1),
                Fetch(2, 2), Fetch(3, 3), Fetch(4, 4)},
               6);
  ASSERT_EQ(outcome.events.size(), 6u) << outcome.status.error_message();
  size_t failed = 0;
  for (const v1::Event& event : outcome.events) {
    if (event.has_ready() && event.ready().code() != 0) ++failed;
  }
  EXPECT_EQ(failed, 4u);
  ExpectServes();
}

TEST_F(DaemonHostileTest, InvalidTextDoesNotFloodTheLog) {
  ASSERT_NO_FATAL_FAILURE(Start());
  RawClient raw(address());
  v1::CommandBatch batch;
  *batch.add_commands() = Hello();
  batch.mutable_commands(0)->mutable_hello()->set_client_name("MARK");
  std::string bytes = batch.SerializeAsString();
  bytes.replace(bytes.find("MARK"), 4, "\xff\xfe\xfd\xfc");
  const auto lines = [this] {
    const std::string log = daemon_->Log();
    return std::count(log.begin(), log.end(), '\n');
  };
  const auto before = lines();
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(raw.SendBytes("Channel", {bytes}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_LT(lines(), before + 20) << daemon_->Log().substr(0, 4000);
  ExpectServes();
}

}  // namespace
}  // namespace acceld::testing
