// What is too large is refused, and the daemon goes on.

#include "absl/strings/str_cat.h"
#include "tests/integration/security/access_fixture.h"

namespace acceld::testing {
namespace {

using grpc::StatusCode;

class LimitsTest : public AccessTest {
 protected:
  void ExpectServes() {
    RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
            Floats(std::vector<float>(16, 2)));
  }
};

TEST_F(LimitsTest, Messages) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--max-message-size", "64KiB"}));
  const std::string large(100'000, 'x');
  v1::RunRequest run;
  run.mutable_program()->set_entry(large);
  v1::KillSessionRequest kill;
  kill.set_reason(large);
  const std::vector<std::pair<const char*, std::string>> messages = {
      {"Channel", large},
      {"Upload", large},
      {"Download", large},
      {"Run", run.SerializeAsString()},
      {"KillSession", kill.SerializeAsString()}};
  const std::unique_ptr<RawClient> ada = As("ada");
  for (const auto& [method, message] : messages) {
    ExpectRefused(
        [&, &method = method, &message = message] { return ada->SendBytes(method, {message}); },
        StatusCode::RESOURCE_EXHAUSTED, "limit",
        absl::StrCat("rpc=.*", method, " peer=.* identity=token:ada"));
  }
  ExpectServes();
}

TEST_F(LimitsTest, Metadata) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::unique_ptr<RawClient> ann = As("ann");
  const auto list = [&] {
    grpc::ClientContext context;
    context.AddMetadata("x-large", std::string(100'000, 'x'));
    v1::ListDevicesReply reply;
    return ann->stub().ListDevices(&context, v1::ListDevicesRequest(), &reply);
  };
  ExpectRefused(list, StatusCode::RESOURCE_EXHAUSTED, "limit", "rpc=.*ListDevices peer=");
  const std::unique_ptr<RawClient> long_token = WithToken(std::string(100'000, 'x'));
  ExpectRefused([&] { return ListDevices(*long_token); }, StatusCode::RESOURCE_EXHAUSTED, "limit",
                "rpc=.*ListDevices peer=");
  ExpectServes();
}

TEST_F(LimitsTest, Names) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::unique_ptr<RawClient> pia = As("pia");
  for (const std::string& name : {std::string(257, 'x'), std::string(), std::string("a b")}) {
    v1::Command publish;
    publish.mutable_publish()->set_request_id(1);
    publish.mutable_publish()->set_handle(1);
    publish.mutable_publish()->set_name(name);
    ExpectRefused(
        [&] {
          const RawClient::Outcome outcome = pia->Send({Hello(), Put(1), publish}, 2);
          EXPECT_EQ(outcome.events.size(), 2u);
          return grpc::Status(static_cast<StatusCode>(outcome.events.back().ready().code()), "");
        },
        StatusCode::INVALID_ARGUMENT, "name", "rpc=Channel peer=.* identity=token:pia");
  }
  // Those of clients are cut.
  v1::Command hello = Hello();
  hello.mutable_hello()->set_client_name(std::string(100'000, 'x'));
  EXPECT_EQ(pia->Send({hello}, 1).events.size(), 1u);
  EXPECT_EQ(daemon_->Log().find(std::string(300, 'x')), std::string::npos);
}

TEST_F(LimitsTest, Batches) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--command-window", "8"}));
  std::vector<v1::Command> commands = {Hello()};
  for (uint64_t handle = 1; handle <= 100; ++handle) commands.push_back(Put(handle));
  ExpectRefused([&] { return As("ann")->Send(commands).status; }, StatusCode::INVALID_ARGUMENT,
                "limit", "rpc=Channel peer=.* identity=token:ann code=INVALID_ARGUMENT");
  ExpectServes();
}

TEST_F(LimitsTest, ManyRefusalsDoNotFloodTheLog) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::unique_ptr<RawClient> nobody = AsNobody();
  const double before = Refusals("credentials");
  constexpr int kCalls = 1000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) ListDevices(*nobody);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(Refusals("credentials"), before + kCalls);
  const std::string log = daemon_->Log();
  size_t lines = 0;
  for (size_t at = 0; (at = log.find("refused reason", at)) != std::string::npos; ++at) ++lines;
  EXPECT_LE(lines, 50 * (took.count() + 2));
}

}  // namespace
}  // namespace acceld::testing
