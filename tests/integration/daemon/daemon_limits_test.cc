// Every limit of the daemon refuses with RESOURCE_EXHAUSTED, says which limit it is and how full,
// and leaves the rest of the daemon alone.

#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kExhausted = static_cast<uint32_t>(absl::StatusCode::kResourceExhausted);

// An upload of `size` f32 whose bytes never come.
v1::Command Begin(uint64_t handle, int64_t size) {
  v1::Command command;
  command.mutable_begin_upload()->set_handle(handle);
  command.mutable_begin_upload()->mutable_type()->set_dtype("f32");
  command.mutable_begin_upload()->mutable_type()->add_dims(size);
  return command;
}

// A value of `size` f32, as one element.
v1::Command Splat(uint64_t handle, int64_t size) {
  v1::Command command = Put(handle);
  v1::Literal& literal = *command.mutable_put()->mutable_literal();
  literal.mutable_type()->set_dims(0, size);
  literal.set_data(std::string(4, 'x'));
  return command;
}

class DaemonLimitsTest : public DaemonTest {
 protected:
  // The answer to `request` when all of these are sent on one channel.
  v1::Ready Ask(std::vector<v1::Command> commands, uint64_t request, size_t answers = 2) {
    commands.insert(commands.begin(), Hello());
    const RawClient::Outcome outcome = RawClient(address()).Send(std::move(commands), answers);
    for (const v1::Event& event : outcome.events) {
      if (event.has_ready() && event.ready().request_id() == request) return event.ready();
    }
    ADD_FAILURE() << "no answer: " << outcome.status.error_message();
    return {};
  }
  void ExpectExhausted(const v1::Ready& ready, const std::string& message) {
    EXPECT_EQ(ready.code(), kExhausted);
    EXPECT_THAT(ready.message(), HasSubstr(message));
  }
};

TEST_F(DaemonLimitsTest, Sessions) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-sessions", "1"}));
  const std::shared_ptr<client::Client> first = Connect();
  const absl::Status second = client::Client::Connect({.address = address()}).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(second.message()), HasSubstr("1 of 1 sessions are open"));
}

TEST_F(DaemonLimitsTest, Handles) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-session-handles", "2"}));
  ExpectExhausted(Ask({Put(1), Put(2), Put(3), Fetch(1, 3)}, 1), "2 of 2 handles are in use");
}

TEST_F(DaemonLimitsTest, Programs) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-session-programs", "1"}));
  v1::Command second = Register(kDoubleText);
  second.mutable_register_program()->set_program_id(2);
  ExpectExhausted(Ask({Register(kDoubleText), second, Put(1), Execute(2, 1, 2), Fetch(1, 2)}, 1),
                  "1 of 1 programs are registered");
}

TEST_F(DaemonLimitsTest, NamedArrays) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-named-arrays", "1"}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Array array = *client->Upload(Floats({1}));
  ASSERT_TRUE(client->Publish(array, "first").ok());
  const absl::Status second = client->Publish(array, "second");
  EXPECT_EQ(second.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(second.message()), HasSubstr("1 of 1 names are in use"));
  ASSERT_TRUE(client->DropName("first").ok());
  EXPECT_TRUE(client->Publish(array, "second").ok());
}

TEST_F(DaemonLimitsTest, QueuedExecutionsAndAnswers) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-session-queued", "1"}));
  const std::vector<v1::Command> waiting = {Register(kDoubleText), Begin(1, 2), Execute(1, 1, 2)};
  std::vector<v1::Command> commands = waiting;
  commands.insert(commands.end(), {Execute(1, 1, 3), Fetch(1, 3)});
  ExpectExhausted(Ask(commands, 1, 3), "1 of 1 executions are queued");
  commands = waiting;
  commands.insert(commands.end(), {Fetch(1, 2), Fetch(2, 2)});
  ExpectExhausted(Ask(commands, 2, 3), "1 of 1 requests are pending");
}

TEST_F(DaemonLimitsTest, SessionMemory) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-session-memory", "1MiB"}));
  ExpectExhausted(Ask({Splat(1, 200'000), Fetch(9, 1), Splat(2, 200'000), Fetch(1, 2)}, 1, 3),
                  "800000 bytes do not fit");
  ExpectExhausted(Ask({Splat(1, 300'000), Fetch(1, 1)}, 1),
                  "has 1200000 bytes, the session's limit is 1048576");
}

TEST_F(DaemonLimitsTest, Transfers) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-session-transfers", "100KiB"}));
  const std::vector<v1::Command> commands = {Splat(1, 30'000), Fetch(1, 1), Fetch(2, 1)};
  std::vector<v1::Command> all = {Hello()};
  all.insert(all.end(), commands.begin(), commands.end());
  const RawClient::Outcome outcome = RawClient(address()).Send(all, 3);
  ASSERT_EQ(outcome.events.size(), 3u) << outcome.status.error_message();
  const v1::Ready& second = outcome.events[2].ready();
  ExpectExhausted(second, "120000 bytes already wait for their download; the limit is 102400");
}

TEST_F(DaemonLimitsTest, Refusals) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-session-handles", "1", "--max-session-refusals", "1"}));
  const grpc::Status status = RawClient(address()).Send({Hello(), Put(1), Put(2), Put(3)}).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("1 of 1 results of refused commands"));
}

TEST_F(DaemonLimitsTest, Messages) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-message-size", "64KiB"}));
  v1::Command large = Put(1);
  large.mutable_put()->mutable_literal()->set_data(std::string(100'000, 'x'));
  const grpc::Status status = RawClient(address()).Send({Hello(), large}).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("the limit is 65536"));

  v1::RunRequest request;
  request.mutable_program()->set_text(
      "func.func @main() -> tensor<100000xf32> {\n"
      "  %y = stablehlo.constant dense<1.0> : tensor<100000xf32>\n"
      "  return %y : tensor<100000xf32>\n}\n");
  grpc::ClientContext context;
  v1::RunReply reply;
  const grpc::Status run = RawClient(address()).stub().Run(&context, request, &reply);
  EXPECT_EQ(run.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(run.error_message(), HasSubstr("has 400000 bytes; a reply holds at most 65536"));
}

// One thread copies 64 MiB while the others' turn comes at once, unless it is quicker.
TEST_F(DaemonLimitsTest, QueuedCopies) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-queued-copies", "1"}));
  std::vector<v1::Command> commands = {Hello(), Splat(1, 16 << 20)};
  constexpr size_t kFetches = 20;
  for (size_t i = 1; i <= kFetches; ++i) commands.push_back(Fetch(i, 1));
  size_t refused = 0;
  for (int round = 0; round < 100 && refused == 0; ++round) {
    const RawClient::Outcome outcome = RawClient(address()).Send(commands, kFetches + 1);
    for (const v1::Event& event : outcome.events) {
      if (!event.has_ready() || event.ready().code() == 0) continue;
      ++refused;
      ExpectExhausted(event.ready(), "transfer: 1 of 1 entries are queued");
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST_F(DaemonLimitsTest, QueuedDecodes) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-queued-decodes", "1", "--decode-threads", "1"}));
  // Takes milliseconds to read, so that runs which come together meet.
  std::string text = "func.func @main(%v0: tensor<2xf32>) -> tensor<2xf32> {\n";
  constexpr int kOps = 5'000;
  for (int i = 0; i < kOps; ++i) {
    absl::StrAppend(&text, "  %v", i + 1, " = stablehlo.add %v", i, ", %v", i,
                    " : tensor<2xf32>\n");
  }
  absl::StrAppend(&text, "  return %v", kOps, " : tensor<3xf32>\n}\n");  // Not to be compiled.
  v1::RunRequest request;
  request.mutable_program()->set_text(text);
  RawClient raw(address());
  constexpr size_t kRuns = 16;
  std::vector<grpc::Status> statuses(kRuns);
  std::vector<std::thread> runs;
  for (grpc::Status& status : statuses) {
    runs.emplace_back([&] {
      grpc::ClientContext context;
      v1::RunReply reply;
      status = raw.stub().Run(&context, request, &reply);
    });
  }
  size_t refused = 0;
  for (size_t i = 0; i < kRuns; ++i) {
    runs[i].join();
    if (statuses[i].error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) continue;
    ++refused;
    EXPECT_THAT(statuses[i].error_message(), HasSubstr("decode: 1 of 1 entries are queued"));
  }
  EXPECT_GT(refused, 0u);
}

TEST_F(DaemonLimitsTest, SizeOfAProgramThatIsSentWhenAskedFor) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-program-size", "64KiB"}));
  RawClient raw(address());
  grpc::ClientContext context;
  auto stream = raw.stub().Channel(&context);
  v1::CommandBatch batch;
  v1::Command announce;
  announce.mutable_register_program()->set_program_id(1);
  announce.mutable_register_program()->set_fingerprint("0123456789abcdef");
  for (const v1::Command& command : {Hello(), announce, Put(1), Execute(1, 1, 2), Fetch(1, 2)}) {
    *batch.add_commands() = command;
  }
  stream->Write(batch);
  v1::EventBatch events;
  ASSERT_TRUE(stream->Read(&events));
  v1::UploadChunk chunk;
  chunk.set_session_token(events.events(0).welcome().session_token());
  chunk.set_program_id(1);
  chunk.set_data(std::string(70'000, 'x'));
  if (events.events_size() == 1) {
    ASSERT_TRUE(stream->Read(&events));  // NeedProgram.
  }
  grpc::ClientContext upload_context;
  v1::UploadReply reply;
  auto upload = raw.stub().Upload(&upload_context, &reply);
  upload->Write(chunk);
  upload->WritesDone();
  EXPECT_EQ(upload->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  ASSERT_TRUE(stream->Read(&events));
  ExpectExhausted(events.events(0).ready(), "program 1 has more than 65536 bytes");
  context.TryCancel();
}

TEST_F(DaemonLimitsTest, CommandWindow) {
  ASSERT_NO_FATAL_FAILURE(Start({"--command-window", "8"}));
  std::vector<v1::Command> commands = {Hello()};
  for (uint64_t handle = 1; handle <= 9; ++handle) commands.push_back(Put(handle));
  const grpc::Status status = RawClient(address()).Send(commands).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("the window is 8"));
}

TEST_F(DaemonLimitsTest, LargerArraysThanGoInlineAreDownloaded) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-inline-size", "100"}));
  const std::vector<v1::Command> commands = {Splat(1, 25), Splat(2, 26), Fetch(1, 1), Fetch(2, 2)};
  const v1::Ready small = Ask(commands, 1, 3), large = Ask(commands, 2, 3);
  EXPECT_EQ(small.data().size(), 100u);
  EXPECT_EQ(small.transfer_id(), 0u);
  EXPECT_EQ(large.data().size(), 0u);
  EXPECT_NE(large.transfer_id(), 0u);
}

// They refuse nothing: a client that is not read for a while goes on afterwards.
TEST_F(DaemonLimitsTest, AChannelThatIsHeldBackAllTheTimeGetsEverythingDone) {
  ASSERT_NO_FATAL_FAILURE(Start({"--channel-requests", "1", "--channel-executions", "1",
                                 "--channel-event-size", "1", "--command-window", "4"}));
  const std::shared_ptr<client::Client> client = Connect();
  const client::Program increment = Parse(kIncrementText);
  client::Array y = *client->Upload(Floats(std::vector<float>(16, 0)));
  std::vector<Future<ir::Literal>> fetched;
  for (int i = 0; i < 300; ++i) {
    y = client->Execute(increment, {y})->front();
    fetched.push_back(y.FetchAsync());
  }
  for (size_t i = 0; i < fetched.size(); ++i) {
    EXPECT_TRUE(*fetched[i].Await() == Floats(std::vector<float>(16, static_cast<float>(i + 1))));
  }
}

TEST_F(DaemonLimitsTest, Leases) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-session-lease", "1.5"}));
  v1::Command hello = Hello();
  hello.mutable_hello()->set_lease_ms(60'000);
  const RawClient::Outcome outcome = RawClient(address()).Send({hello}, 1);
  ASSERT_EQ(outcome.events.size(), 1u);
  EXPECT_EQ(outcome.events[0].welcome().lease_ms(), 1500u);
}

TEST_F(DaemonLimitsTest, Deadlines) {
  ASSERT_NO_FATAL_FAILURE(Start({"--max-deadlines", "1"}));
  v1::Command first = Execute(1, 1, 2), second = Execute(1, 1, 3);
  first.mutable_execute()->set_timeout_ms(60'000);
  second.mutable_execute()->set_timeout_ms(60'000);
  ExpectExhausted(Ask({Register(kDoubleText), Begin(1, 2), first, second, Fetch(9, 3)}, 9, 3),
                  "all of 1");
}

TEST_F(DaemonLimitsTest, SharedMemory) {
  const ir::Literal value = Floats(std::vector<float>(300'000, 3));
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {"--max-segment-connections", "1", "--segment-threads", "1", "--channel-threads", "1"},
           {"--segment-size", "64KiB"},
           {"--shared-array-size", "2MiB"},
           {"--max-shared-arrays", "1"},
           {"--segment-size", "0"}}) {
    ASSERT_NO_FATAL_FAILURE(Start(flags));
    std::vector<std::thread> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back([&] {
        const auto client = client::Client::Connect(
            {.address = address(), .lease = std::chrono::milliseconds(60'000)});
        ASSERT_TRUE(client.ok()) << client.status();
        for (int round = 0; round < 3; ++round) {
          const client::Array array = *(*client)->Upload(value);
          EXPECT_TRUE(*array.Fetch() == value);
          EXPECT_TRUE(array.Map()->view == value.bytes());
        }
      });
    }
    for (std::thread& client : clients) client.join();
    Stop();
  }
}

}  // namespace
}  // namespace acceld::testing
