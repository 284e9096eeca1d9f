// Cancellation and deadlines on the wire and in the client library; the engine is a fake.

#include <chrono>
#include <string>
#include <vector>

#include "tests/integration/raw_client.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/support/eventually.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Function;
using client::Tensor;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

constexpr auto kCancelled = static_cast<uint32_t>(absl::StatusCode::kCancelled);

v1::Command Begin(uint64_t handle) {
  v1::Command command;
  command.mutable_begin_upload()->set_handle(handle);
  *command.mutable_begin_upload()->mutable_type() = TwoFloats(0, 0).type();
  return command;
}

v1::Command ExecuteWithin(uint32_t timeout_ms) {
  v1::Command command = Execute(1, 1, 2);
  command.mutable_execute()->set_timeout_ms(timeout_ms);
  return command;
}

class CancelTest : public RpcTest {
 protected:
  static auto Next(const std::shared_ptr<client::Client>& client) {
    return Function(client, [](const Tensor& x) { return x + 1; });
  }
};

// While the engine holds all executions, only a cancellation answers.
TEST_F(CancelTest, WhatWaitsForACancelledHandleHearsTheReasonAtOnce) {
  RawClient raw(address());
  engine_.Hold();
  const RawClient::Outcome outcome =
      raw.Send({Hello(), Register(kDoubleText), Put(1), Execute(1, 1, 2), Execute(1, 2, 3),
                Fetch(1, 3), Cancel({2}, "nobody wants it"), Fetch(2, 2)},
               3);
  ASSERT_EQ(outcome.events.size(), 3u);
  for (size_t i : {1, 2}) {
    EXPECT_EQ(outcome.events[i].ready().request_id(), i);
    EXPECT_EQ(outcome.events[i].ready().code(), kCancelled);
    EXPECT_THAT(outcome.events[i].ready().message(),
                HasSubstr("cancelled by its client: nobody wants it"));
  }
  engine_.Resume();
}

TEST_F(CancelTest, WhatIsThereStaysAndUnknownHandlesAreIgnored) {
  RawClient raw(address());
  const RawClient::Outcome outcome =
      raw.Send({Hello(), Register(kDoubleText), Put(1), Execute(1, 1, 2), Cancel({1, 2, 77}),
                Cancel({}), Fetch(1, 2), Fetch(2, 1)},
               3);
  ASSERT_EQ(outcome.events.size(), 3u);
  EXPECT_EQ(outcome.events[1].ready().data(), TwoFloats(2, 4).data());
  EXPECT_EQ(outcome.events[2].ready().data(), TwoFloats(1, 2).data());
  EXPECT_TRUE(outcome.status.ok());
}

TEST_F(CancelTest, AnUploadIsCancelledAndItsBytesAreNotTaken) {
  RawClient raw(address());
  RawStream stream(raw);
  stream.Send({Hello(), Begin(5), Fetch(1, 5), Cancel({5})});
  const std::string token = stream.Next().welcome().session_token();
  EXPECT_EQ(stream.Next().ready().code(), kCancelled);
  grpc::ClientContext context;
  v1::UploadReply reply;
  auto upload = raw.stub().Upload(&context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token(token);
  chunk.set_handle(5);
  chunk.set_data(std::string(8, 'x'));
  upload->Write(chunk);
  upload->WritesDone();
  EXPECT_EQ(upload->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(CancelTest, HandlesOfOtherSessionsAreOutOfReach) {
  RawClient raw(address());
  engine_.Hold();
  RawStream ours(raw), theirs(raw);
  ours.Send({Hello(), Register(kDoubleText), Put(1), Execute(1, 1, 2), Fetch(1, 2)});
  EXPECT_TRUE(ours.Next().has_welcome());
  theirs.Send({Hello(), Cancel({1, 2}), Put(1), Fetch(1, 1)});
  EXPECT_TRUE(theirs.Next().has_welcome());
  EXPECT_EQ(theirs.Next().ready().data(), TwoFloats(1, 2).data());
  engine_.Resume();
  EXPECT_EQ(ours.Next().ready().data(), TwoFloats(2, 4).data());
}

TEST_F(CancelTest, ALongReasonIsCutShort) {
  RawClient raw(address());
  engine_.Hold();
  const RawClient::Outcome outcome =
      raw.Send({Hello(), Register(kDoubleText), Put(1), Execute(1, 1, 2),
                Cancel({2}, std::string(100'000, 'x')), Fetch(1, 2)},
               2);
  ASSERT_EQ(outcome.events.size(), 2u);
  EXPECT_LT(outcome.events[1].ready().message().size(), 1000u);
  engine_.Resume();
}

TEST_F(CancelTest, ATimeoutBeginsWhenTheCommandIsTakenIn) {
  RawClient raw(address());
  const auto sent = steady_clock::now();
  const std::vector<v1::Command> before = {Hello(), Register(kDoubleText), Put(1)};
  std::vector<v1::Command> commands = before;
  commands.insert(commands.end(), {ExecuteWithin(3'600'000), Fetch(1, 2)});
  ASSERT_EQ(raw.Send(commands, 2).events.size(), 2u);
  const auto answered = steady_clock::now();
  ASSERT_TRUE(engine_.last_deadline().has_value());
  EXPECT_GE(*engine_.last_deadline(), sent + std::chrono::hours(1));
  EXPECT_LE(*engine_.last_deadline(), answered + std::chrono::hours(1));
  commands = before;
  commands.insert(commands.end(), {Execute(1, 1, 2), Fetch(1, 2)});
  ASSERT_EQ(raw.Send(commands, 2).events.size(), 2u);
  EXPECT_FALSE(engine_.last_deadline().has_value());
}

TEST_F(CancelTest, ARunEndsWithTheDeadlineOfItsCall) {
  RawClient raw(address());
  engine_.Hold();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  v1::RunRequest request;
  request.mutable_program()->set_text(kDoubleText);
  *request.add_arguments() = TwoFloats(3, 4);
  v1::RunReply reply;
  EXPECT_EQ(raw.stub().Run(&context, request, &reply).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  engine_.AwaitSessions(0);
  engine_.Resume();
}

TEST_F(CancelTest, ACancelledArrayAnswersThoseWhoWait) {
  auto client = Connect();
  const Function next = Next(client);
  engine_.Hold();
  const Array x = *client->Upload(Floats({1}));
  const Array y = *next(x), z = *next(y), other = *next(x);
  const auto ready = y.Ready();
  const auto fetched = z.FetchAsync();
  EXPECT_TRUE(y.Cancel("changed \xff my mind").ok());
  EXPECT_EQ(ready.Await().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(fetched.Await().status(), ready.Await().status());
  EXPECT_THAT(std::string(ready.Await().status().message()), HasSubstr("my mind"));
  engine_.Resume();
  EXPECT_EQ(*other.Fetch(), Floats({2}));
  EXPECT_TRUE(other.Cancel().ok());
  EXPECT_EQ(*other.Fetch(), Floats({2}));
}

TEST_F(CancelTest, SeveralArraysAreCancelledAtOnceOrNone) {
  auto client = Connect();
  const Function next = Next(client);
  engine_.Hold();
  const Array x = *client->Upload(Floats({1}));
  const std::vector<Array> arrays = {*next(x), *next(x)};
  const Array theirs = *Connect()->Upload(Floats({1}));
  EXPECT_EQ(client->Cancel({arrays[0], theirs}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client->Cancel({Array()}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Array().Cancel().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(engine_.cancels(), 0);
  EXPECT_TRUE(client->Cancel(arrays).ok());
  EXPECT_EQ(arrays[0].Await().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(arrays[1].Await().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(engine_.cancels(), 1);
  engine_.Resume();
  server_.reset();
  EXPECT_TRUE(Eventually([&] { return !client->status().ok(); }));
  EXPECT_EQ(client->Cancel(arrays).code(), absl::StatusCode::kUnavailable);
}

TEST_F(CancelTest, TheClientsTimeoutIsSent) {
  auto client = Connect();
  const auto program = *Next(client).Trace(ir::TensorType{ir::DType::kF32, {1}});
  const Array x = *client->Upload(Floats({1}));
  const auto left = [&](std::chrono::milliseconds timeout) {
    EXPECT_TRUE(client->Execute(program, {x}, 0, {.timeout = timeout})->front().Await().ok());
    return *engine_.last_deadline() - steady_clock::now();
  };
  EXPECT_GT(left(std::chrono::hours(2)), std::chrono::hours(1));
  EXPECT_LE(left(std::chrono::milliseconds(-5)), std::chrono::milliseconds(0));
  EXPECT_GT(left(std::chrono::hours(24 * 365)), std::chrono::hours(24 * 40));
}

}  // namespace
}  // namespace acceld::testing
