// Sessions that outlive their streams: a client, a proxy that breaks connections, and a server with
// a fake engine.

#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "tests/integration/raw_client.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/support/eventually.h"
#include "tests/support/net/cutting_proxy.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Function;
using client::Tensor;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ResumeTest : public RpcTest {
 protected:
  void SetUp() override {
    RpcTest::SetUp();
    proxy_ = std::make_unique<CuttingProxy>(proxy_path(), folder_.path() + "/d.sock");
  }

  std::string proxy_path() const { return folder_.path() + "/p.sock"; }

  std::shared_ptr<client::Client> ConnectThroughProxy(milliseconds lease) {
    auto client = client::Client::Connect(
        {.address = "unix:" + proxy_path(), .client_name = "test", .lease = lease});
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }

  std::unique_ptr<CuttingProxy> proxy_;
};

constexpr milliseconds kLongLease{60'000};

TEST_F(ResumeTest, AChainIsExecutedOnceHoweverOftenItsStreamIsCut) {
  auto client = ConnectThroughProxy(kLongLease);
  Function next(client, [](const Tensor& x) { return x + 1; });
  Array y = *client->Upload(Floats({0}));
  Cutter cutter(*proxy_, milliseconds(20));
  for (int i = 1; i <= 20'000; ++i) {
    y = *next(y);
    if (i % 1000 == 0) {
      EXPECT_EQ(*y.Fetch(), Floats({static_cast<float>(i)}));
    }
  }
  EXPECT_EQ(engine_.Sessions().size(), 1u);
}

// An execution that were taken twice would not find its argument the second time.
TEST_F(ResumeTest, ADonatedArrayIsGivenAwayOnceHoweverOftenTheStreamIsCut) {
  auto client = ConnectThroughProxy(kLongLease);
  Function next(client, [](const Tensor& x) { return x + 1; });
  Array y = *client->Upload(Floats({0}));
  Cutter cutter(*proxy_, milliseconds(20));
  for (int i = 1; i <= 5'000; ++i) {
    y = *next(Donate(y));
    if (i % 1000 == 0) {
      EXPECT_EQ(*y.Fetch(), Floats({static_cast<float>(i)}));
    }
  }
}

TEST_F(ResumeTest, AnswersThatWereLostAreAskedForAgain) {
  auto client = ConnectThroughProxy(kLongLease);
  Function next(client, [](const Tensor& x) { return x + 1; });
  const Array x = *client->Upload(Floats({1}));
  engine_.Hold();
  std::vector<Future<ir::Literal>> fetched;
  for (int i = 0; i < 50; ++i) fetched.push_back(next(x)->FetchAsync());
  const Array awaited = *next(x);
  const auto ready = awaited.Ready();
  ASSERT_TRUE(Eventually([&] { return engine_.live_arrays() == 52; }));
  proxy_->Cut();
  engine_.Resume();
  for (const auto& value : fetched) EXPECT_EQ(*value.Await(), Floats({2}));
  EXPECT_TRUE(ready.Await().ok());
}

TEST_F(ResumeTest, ACancelReachesTheDaemonOnceHoweverOftenItsStreamIsCut) {
  auto client = ConnectThroughProxy(kLongLease);
  Function next(client, [](const Tensor& x) { return x + 1; });
  const Array x = *client->Upload(Floats({1}));
  engine_.Hold();
  constexpr int kCancels = 300;
  {
    Cutter cutter(*proxy_, milliseconds(10));
    for (int i = 0; i < kCancels; ++i) {
      const Array y = *next(x);
      const auto ready = next(y)->Ready();
      EXPECT_TRUE(y.Cancel().ok());
      EXPECT_EQ(ready.Await().status().code(), absl::StatusCode::kCancelled);
    }
  }
  EXPECT_EQ(engine_.cancels(), kCancels);
  engine_.Resume();
  EXPECT_EQ(*next(x)->Fetch(), Floats({2}));
}

TEST_F(ResumeTest, ACancelThatWasAskedForWithoutAStreamIsSentWithTheNext) {
  auto client = ConnectThroughProxy(kLongLease);
  Function next(client, [](const Tensor& x) { return x + 1; });
  engine_.Hold();
  const Array y = *next(*client->Upload(Floats({1})));
  const auto fetched = y.FetchAsync();
  ASSERT_TRUE(Eventually([&] { return engine_.live_arrays() >= 1; }));
  proxy_->Refuse(true);
  proxy_->Cut();
  EXPECT_TRUE(y.Cancel("too late").ok());
  proxy_->Refuse(false);
  EXPECT_EQ(fetched.Await().status().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(fetched.Await().status().message()), HasSubstr("too late"));
  engine_.Resume();
}

TEST_F(ResumeTest, TransfersThatBreakAreRepeated) {
  auto client = ConnectThroughProxy(kLongLease);
  const ir::Literal value = Ramp(1'000'000);
  Cutter cutter(*proxy_, milliseconds(100));
  for (int i = 0; i < 5; ++i) {
    const Array array = *client->Upload(value);
    const absl::StatusOr<ir::Literal> fetched = array.Fetch();
    ASSERT_TRUE(fetched.ok()) << fetched.status();
    EXPECT_TRUE(*fetched == value);
  }
}

TEST_F(ResumeTest, WithoutALeaseASessionEndsWithItsStream) {
  auto client = ConnectThroughProxy(milliseconds(0));
  const Array x = *client->Upload(Floats({1}));
  ASSERT_TRUE(x.Await().ok());
  proxy_->Cut();
  engine_.AwaitSessions(0);
  EXPECT_EQ(x.Fetch().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ResumeTest, AfterItsLeaseASessionIsOver) {
  auto client = ConnectThroughProxy(milliseconds(300));
  const Array x = *client->Upload(Floats({1}));
  ASSERT_TRUE(x.Await().ok());
  proxy_->Refuse(true);
  proxy_->Cut();
  engine_.AwaitSessions(0);
  EXPECT_EQ(engine_.live_arrays(), 0u);
  const absl::Status status = x.Fetch().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

TEST_F(ResumeTest, AnIdleClientKeepsItsSession) {
  auto client = ConnectThroughProxy(milliseconds(600));
  const Array x = *client->Upload(Floats({1}));
  ASSERT_TRUE(x.Await().ok());
  std::this_thread::sleep_for(milliseconds(2000));
  EXPECT_EQ(*x.Fetch(), Floats({1}));
}

TEST_F(ResumeTest, ARestartedDaemonIsNoticed) {
  auto client = ConnectThroughProxy(kLongLease);
  const Array x = *client->Upload(Floats({1}));
  ASSERT_TRUE(x.Await().ok());
  proxy_->Refuse(true);
  proxy_->Cut();
  engine_.SetIncarnation(8);
  proxy_->Refuse(false);
  const absl::Status status = x.Fetch().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the daemon was restarted"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("incarnation 7"));
}

TEST_F(ResumeTest, AClosedClientDoesNotLeaveItsSessionToTheLease) {
  auto client = ConnectThroughProxy(kLongLease);
  ASSERT_TRUE(client->Upload(Floats({1}))->Await().ok());
  client.reset();
  engine_.AwaitSessions(0);
}

v1::Command HelloWithLease(uint32_t lease_ms) {
  v1::Command command = Hello();
  command.mutable_hello()->set_lease_ms(lease_ms);
  return command;
}

v1::Command ResumeOf(const v1::Welcome& welcome) {
  v1::Command command = Hello();
  command.mutable_hello()->mutable_resume()->set_session_token(welcome.session_token());
  command.mutable_hello()->mutable_resume()->set_incarnation(welcome.incarnation());
  return command;
}

TEST_F(ResumeTest, WelcomeSaysHowManyCommandsWereTakenAndTheOldStreamIsAborted) {
  RawClient raw(address());
  RawStream first(raw);
  first.Send({HelloWithLease(1000), Put(1), Put(2), Fetch(1, 2)});
  const v1::Welcome welcome = first.Next().welcome();
  EXPECT_EQ(welcome.lease_ms(), 1000u);
  EXPECT_TRUE(first.Next().has_ready());
  RawStream second(raw);
  second.Send({ResumeOf(welcome), Fetch(2, 1)});
  EXPECT_EQ(second.Next().welcome().commands_taken(), 3u);
  EXPECT_EQ(second.Next().ready().request_id(), 2u);
  EXPECT_EQ(first.Next().event_case(), v1::Event::EVENT_NOT_SET);
  EXPECT_EQ(first.Finish().error_code(), grpc::StatusCode::ABORTED);
}

TEST_F(ResumeTest, ASilentClientLosesItsSession) {
  RawClient raw(address());
  RawStream stream(raw);
  stream.Send({HelloWithLease(200), Put(1)});
  EXPECT_TRUE(stream.Next().has_welcome());
  const v1::Event last = stream.Next();
  ASSERT_TRUE(last.has_goodbye()) << last.ShortDebugString();
  EXPECT_EQ(last.goodbye().code(), static_cast<uint32_t>(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(last.goodbye().message(), HasSubstr("200 ms"));
  engine_.AwaitSessions(0);
}

TEST_F(ResumeTest, NobodyResumesWhatIsNotThere) {
  RawClient raw(address());
  v1::Welcome unknown;
  unknown.set_session_token("0123456789abcdef");
  unknown.set_incarnation(7);
  RawStream stream(raw);
  stream.Send({ResumeOf(unknown)});
  EXPECT_FALSE(stream.Next().has_welcome());
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

v1::Program DoubleProgram() {
  v1::Program program;
  program.set_text(kDoubleText);
  return program;
}

v1::Command RegisterByFingerprint(const std::string& fingerprint) {
  v1::Command command;
  command.mutable_register_program()->set_program_id(1);
  command.mutable_register_program()->set_fingerprint(fingerprint);
  return command;
}

grpc::Status UploadProgram(RawClient& raw, const v1::Welcome& welcome, const std::string& bytes) {
  grpc::ClientContext context;
  v1::UploadReply reply;
  auto upload = raw.stub().Upload(&context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token(welcome.session_token());
  chunk.set_program_id(1);
  chunk.set_data(bytes.substr(0, bytes.size() / 2));
  upload->Write(chunk);
  chunk.Clear();
  chunk.set_data(bytes.substr(bytes.size() / 2));
  upload->Write(chunk);
  upload->WritesDone();
  return upload->Finish();
}

TEST_F(ResumeTest, AProgramIsAskedForOnceAndThenKnownToAll) {
  RawClient raw(address());
  const std::string fingerprint(
      client::Program::FromText(kDoubleText, "")->fingerprint().AsBytes());
  RawStream first(raw);
  first.Send({Hello(), RegisterByFingerprint(fingerprint), Put(1), Execute(1, 1, 2), Fetch(1, 2)});
  const v1::Welcome welcome = first.Next().welcome();
  EXPECT_EQ(first.Next().need_program().program_id(), 1u);
  EXPECT_TRUE(UploadProgram(raw, welcome, DoubleProgram().SerializeAsString()).ok());
  EXPECT_EQ(first.Next().ready().data(), TwoFloats(2, 4).data());
  RawStream second(raw);
  second.Send({Hello(), RegisterByFingerprint(fingerprint), Put(1), Execute(1, 1, 2), Fetch(1, 2)});
  EXPECT_TRUE(second.Next().has_welcome());
  EXPECT_EQ(second.Next().ready().data(), TwoFloats(2, 4).data());
}

TEST_F(ResumeTest, AProgramThatIsNotTheAnnouncedOnePoisonsWhatIsExecutedWithIt) {
  RawClient raw(address());
  for (const std::string& bytes :
       {DoubleProgram().SerializeAsString(), std::string("\x08rubbish")}) {
    RawStream stream(raw);
    stream.Send({Hello(), RegisterByFingerprint("0123456789abcdef"), Put(1), Execute(1, 1, 2),
                 Fetch(1, 2), Fetch(2, 1)});
    const v1::Welcome welcome = stream.Next().welcome();
    ASSERT_TRUE(stream.Next().has_need_program());
    EXPECT_TRUE(UploadProgram(raw, welcome, bytes).ok());
    EXPECT_EQ(stream.Next().ready().code(),
              static_cast<uint32_t>(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(stream.Next().ready().data(), TwoFloats(1, 2).data());
    EXPECT_EQ(UploadProgram(raw, welcome, bytes).error_code(), grpc::StatusCode::NOT_FOUND);
  }
}

TEST_F(ResumeTest, BytesOfProgramsThatNobodyAskedForAreNotTaken) {
  RawClient raw(address());
  RawStream stream(raw);
  stream.Send({HelloWithLease(60'000)});
  const v1::Welcome welcome = stream.Next().welcome();
  EXPECT_EQ(UploadProgram(raw, welcome, "anything").error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ResumeTest, WhileTheDaemonDoesNotListenALeaseGoesOn) {
  RawClient raw(address());
  RawStream stream(raw);
  const std::string fingerprint(
      client::Program::FromText(kDoubleText, "")->fingerprint().AsBytes());
  stream.Send({HelloWithLease(200), RegisterByFingerprint(fingerprint), Put(1), Execute(1, 1, 2),
               Fetch(1, 2)});
  const v1::Welcome welcome = stream.Next().welcome();
  ASSERT_TRUE(stream.Next().has_need_program());
  std::this_thread::sleep_for(milliseconds(1000));
  EXPECT_TRUE(UploadProgram(raw, welcome, DoubleProgram().SerializeAsString()).ok());
  EXPECT_EQ(stream.Next().ready().data(), TwoFloats(2, 4).data());
}

TEST_F(ResumeTest, ALargeProgramOfTheClientIsSentOnlyWhenItIsAskedFor) {
  const auto deep = [](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < 500; ++i) y = y + 1;
    return y;
  };
  for (int round = 0; round < 2; ++round) {
    auto client = ConnectThroughProxy(round == 0 ? kLongLease : milliseconds(0));
    Function function(client, deep);
    EXPECT_EQ(*function(*client->Upload(Floats({1})))->Fetch(), Floats({501}));
    EXPECT_EQ(engine_.programs_added(), 1);
  }
}

}  // namespace
}  // namespace acceld::testing
