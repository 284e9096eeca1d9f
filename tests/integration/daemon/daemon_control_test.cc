// What an administrator may do to a running daemon: end a session, drain it, stop it.

#include <signal.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using ::testing::HasSubstr;

class DaemonControlTest : public DaemonTest {
 protected:
  std::shared_ptr<Client> ConnectAs(const std::string& name) {
    auto client = Client::Connect({.address = address(), .client_name = name});
    EXPECT_TRUE(client.ok()) << client.status();
    return client.ok() ? *std::move(client) : nullptr;
  }
  // The number of the open session with this name; 0 while there is none.
  uint64_t SessionOf(const std::string& name) {
    const std::optional<client::SessionInfo> session = FindSession(name);
    return session ? session->id : 0;
  }
  static Array Count(Client& client, int64_t steps) {
    return client.Execute(Parse(kCountText), {*client.Upload(Int64(steps))})->front();
  }
  void ExpectServes() {
    RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
            Floats(std::vector<float>(16, 2)));
  }
  RawClient::Health Health() { return RawClient(address()).HealthOf("acceld.v1.Acceld").value(); }
};

TEST_F(DaemonControlTest, AKilledSessionHearsTheReasonAndOthersGoOn) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<Client> greedy = ConnectAs("greedy"), other = ConnectAs("other");
  const auto endless = Count(*greedy, kEndless).Ready();
  ASSERT_TRUE(IsQueued(1));
  ASSERT_TRUE(Admin().KillSession(SessionOf("greedy"), "too greedy").ok());
  const absl::Status ended = endless.Await().status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kCancelled) << ended;
  EXPECT_THAT(std::string(ended.message()), HasSubstr("too greedy"));
  ASSERT_TRUE(Eventually([&] { return !greedy->status().ok(); }));
  EXPECT_EQ(greedy->status().code(), absl::StatusCode::kCancelled) << greedy->status();
  EXPECT_THAT(std::string(greedy->status().message()), HasSubstr("too greedy"));

  EXPECT_TRUE(*Count(*other, 1000).Fetch() == Int64(1000));
  EXPECT_TRUE(other->status().ok());
  EXPECT_TRUE(IsQueued(0));
  EXPECT_EQ(SessionOf("greedy"), 0u);
  EXPECT_THAT(daemon_->Log(),
              ::testing::ContainsRegex("client=greedy identity=[^ ]+ code=CANCELLED"));
}

TEST_F(DaemonControlTest, ARunIsKilledAsASessionIs) {
  ASSERT_NO_FATAL_FAILURE(Start());
  grpc::Status status;
  std::thread run([&] {
    RawClient raw(address());
    v1::RunRequest request;
    request.mutable_program()->set_text(kCountText);
    v1::Literal& argument = *request.add_arguments();
    argument.mutable_type()->set_dtype("i64");
    argument.set_data(std::string(8, '\xff'));  // kEndless
    v1::RunReply reply;
    grpc::ClientContext context;
    status = raw.stub().Run(&context, request, &reply);
  });
  EXPECT_TRUE(Eventually([this] { return SessionOf("run") != 0; }));
  EXPECT_TRUE(Admin().KillSession(SessionOf("run"), "enough").ok());
  run.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("enough"));
}

TEST_F(DaemonControlTest, KillNamesASessionThatThereIsNot) {
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Admin().KillSession(4711, "").code(), absl::StatusCode::kNotFound);
  const CommandResult unknown = Accelctl({"kill", "4711"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.output, HasSubstr("4711"));
  const std::shared_ptr<Client> client = ConnectAs("victim");
  const CommandResult killed = Accelctl({"kill", absl::StrCat(SessionOf("victim"))});
  EXPECT_EQ(killed.exit_code, 0) << killed.output;
  EXPECT_EQ(SessionOf("victim"), 0u);
}

TEST_F(DaemonControlTest, ADrainedDaemonTakesNothingNewAndFinishesWhatIsOpen) {
  ASSERT_NO_FATAL_FAILURE(Start());
  std::shared_ptr<Client> client = Connect();
  EXPECT_EQ(Health(), RawClient::Health::kServing);
  const CommandResult drain = Accelctl({"drain"});
  EXPECT_EQ(drain.exit_code, 0) << drain.output;
  EXPECT_THAT(drain.output, HasSubstr("1 session is open"));
  EXPECT_EQ(Health(), RawClient::Health::kNotServing);
  EXPECT_TRUE(Admin().GetStats()->draining);
  const absl::Status refused = Client::Connect({.address = address()}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("draining"));
  EXPECT_TRUE(*Count(*client, 1000).Fetch() == Int64(1000));

  const CommandResult undo = Accelctl({"drain", "--undo"});
  EXPECT_EQ(undo.exit_code, 0) << undo.output;
  EXPECT_EQ(Health(), RawClient::Health::kServing);
  ExpectServes();
}

TEST_F(DaemonControlTest, HealthIsAnExitCode) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const CommandResult serving = Accelctl({"health"});
  EXPECT_EQ(serving.exit_code, 0) << serving.output;
  EXPECT_THAT(serving.output, HasSubstr("serving"));
  ASSERT_EQ(Accelctl({"drain"}).exit_code, 0);
  const CommandResult draining = Accelctl({"health"});
  EXPECT_EQ(draining.exit_code, 3) << draining.output;
  EXPECT_THAT(draining.output, HasSubstr("not serving"));
  EXPECT_EQ(Accelctl({"health", "--live"}).exit_code, 0);
  EXPECT_EQ(Stop(), 0);
  const CommandResult gone = Accelctl({"health", "--live"});
  EXPECT_EQ(gone.exit_code, 1) << gone.output;
  EXPECT_THAT(gone.output, HasSubstr("no acceld daemon answers"));
}

TEST_F(DaemonControlTest, DrainCanWaitForTheLastSession) {
  ASSERT_NO_FATAL_FAILURE(Start());
  std::shared_ptr<Client> client = Connect();
  std::thread closer([&] {
    // Not before the daemon drains: else there is nothing to wait for.
    EXPECT_TRUE(Eventually([this] { return Admin().GetStats()->draining; }));
    client.reset();
  });
  const CommandResult drain = Accelctl({"drain", "--wait"});
  closer.join();
  EXPECT_EQ(drain.exit_code, 0) << drain.output;
  EXPECT_THAT(drain.output, HasSubstr("no session is open"));
  EXPECT_EQ(Admin().GetStats()->sessions, 0u);
  EXPECT_EQ(Stop(), 0);
}

TEST_F(DaemonControlTest, SigtermDrainsBeforeItStops) {
  ASSERT_NO_FATAL_FAILURE(Start({"--shutdown-grace", "120"}));
  const std::shared_ptr<Client> client = Connect();
  // Seconds, during which the daemon is asked.
  std::vector<Array> counts;
  for (int i = 0; i < 5; ++i)
    counts.push_back(Count(*client, CountFor(std::chrono::milliseconds(500))));
  ASSERT_TRUE(IsQueued(5));
  RawClient raw(address());
  daemon_->process.Signal(SIGTERM);
  EXPECT_TRUE(Eventually([&] { return Admin().GetStats().ok() && Admin().GetStats()->draining; }));
  EXPECT_EQ(raw.HealthOf("").value(), RawClient::Health::kNotServing);
  EXPECT_EQ(Client::Connect({.address = address()}).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Admin().Drain(/*undo=*/true).status().code(), absl::StatusCode::kFailedPrecondition);
  for (const Array& count : counts) EXPECT_TRUE(count.Ready().Await().ok());
  EXPECT_EQ(daemon_->process.Wait(), 0);
}

TEST_F(DaemonControlTest, OverTcpNobodyAdministers) {
  ASSERT_NO_FATAL_FAILURE(Start({"--listen", "127.0.0.1:0"}));
  const std::string log = daemon_->Log();
  const size_t at = log.find("127.0.0.1:");
  ASSERT_NE(at, std::string::npos) << log;
  RawClient raw(log.substr(at, log.find_first_of(" \n", at) - at));
  grpc::ClientContext kill, drain, trace;
  v1::KillSessionReply killed;
  EXPECT_EQ(raw.stub().KillSession(&kill, v1::KillSessionRequest(), &killed).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  v1::DrainReply drained;
  EXPECT_EQ(raw.stub().Drain(&drain, v1::DrainRequest(), &drained).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(raw.stub().GetTrace(&trace, v1::GetTraceRequest())->Finish().error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
}

}  // namespace
}  // namespace acceld::testing
