// What a client that does not keep to the protocol gets: a status, and nobody else is disturbed.

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "tests/integration/raw_client.h"
#include "tests/integration/rpc_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

class ProtocolTest : public RpcTest {
 protected:
  void SetUp() override {
    RpcTest::SetUp();
    raw_ = std::make_unique<RawClient>(address());
  }

  void ExpectServes() {
    auto client = Connect();
    EXPECT_TRUE(client->Upload(Floats({1}))->Await().ok());
  }

  std::unique_ptr<RawClient> raw_;
};

TEST_F(ProtocolTest, WelcomeThenAnswers) {
  const RawClient::Outcome outcome =
      raw_->Send({Hello(), Register(kDoubleText), Put(1), Execute(1, 1, 2), Fetch(9, 2)}, 2);
  ASSERT_EQ(outcome.events.size(), 2u);
  EXPECT_EQ(outcome.events[0].welcome().session_token().size(), 16u);
  EXPECT_EQ(outcome.events[1].ready().request_id(), 9u);
  EXPECT_EQ(outcome.events[1].ready().data(), TwoFloats(2, 4).data());
  EXPECT_EQ(outcome.events[1].ready().type().dtype(), "f32");
  EXPECT_THAT(outcome.events[1].ready().type().dims(), ::testing::ElementsAre(2));
  EXPECT_TRUE(outcome.status.ok());
}

TEST_F(ProtocolTest, ViolationsEndTheStream) {
  EXPECT_EQ(raw_->Send({Put(1)}).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(raw_->Send({Hello(), Hello()}).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(raw_->Send({Hello(), v1::Command()}).status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(raw_->Send({Hello(), Put(1), Put(1)}).status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  v1::Command old = Hello();
  old.mutable_hello()->set_protocol_version(99);
  EXPECT_EQ(raw_->Send({old}).status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  engine_.AwaitSessions(0);
}

TEST_F(ProtocolTest, UndecodableMessageIsInvalid) {
  EXPECT_EQ(raw_->SendBytes("Channel", {"\xff\xff\xff"}).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ProtocolTest, WindowIsEnforcedAndDoesNotCountHello) {
  rpc::RpcOptions options;
  options.command_window = 8;
  StartServer(options);
  raw_ = std::make_unique<RawClient>(address());
  std::vector<v1::Command> commands = {Hello()};
  for (uint64_t i = 1; i < 8; ++i) commands.push_back(Put(i));
  commands.push_back(Fetch(1, 1));
  EXPECT_TRUE(raw_->Send(commands, 2).status.ok());
  commands.push_back(Put(8));
  const grpc::Status status = raw_->Send(commands).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("the window is 8"));
}

TEST_F(ProtocolTest, EventsInHandAreSentBeforeAShutdownEndsTheStream) {
  constexpr int kFetches = 100;
  constexpr size_t kBytes = 40'000;
  grpc::ClientContext context;
  auto stream = raw_->stub().Channel(&context);
  v1::CommandBatch batch;
  *batch.add_commands() = Hello();
  *batch.add_commands() = Put(1);
  v1::Literal& literal = *batch.mutable_commands(1)->mutable_put()->mutable_literal();
  literal.mutable_type()->set_dims(0, kBytes / 4);
  literal.set_data(std::string(kBytes, '\0'));
  for (int i = 0; i < kFetches; ++i) *batch.add_commands() = Fetch(i, 1);
  *batch.add_commands() = Put(2);
  stream->Write(batch);
  // With the last command in, all answers are made; flow control holds most of them back.
  while (engine_.live_arrays() < 2) std::this_thread::yield();
  std::thread shutdown([this] { server_->Shutdown(std::chrono::minutes(2)); });
  int fetched = 0;
  bool goodbye = false;
  v1::EventBatch events;
  while (!goodbye && stream->Read(&events)) {
    for (const v1::Event& event : events.events()) {
      EXPECT_FALSE(goodbye) << "an event after the last one";
      fetched += event.has_ready() && event.ready().data().size() == kBytes;
      goodbye = event.has_goodbye();
      if (!goodbye) continue;
      EXPECT_EQ(event.goodbye().code(), static_cast<uint32_t>(absl::StatusCode::kUnavailable));
    }
  }
  EXPECT_TRUE(goodbye);
  EXPECT_EQ(fetched, kFetches);
  stream->WritesDone();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  shutdown.join();
}

TEST_F(ProtocolTest, WrongCommandsFailTheirOutputsOnly) {
  v1::Command bad_put = Put(5);
  bad_put.mutable_put()->mutable_literal()->mutable_type()->set_dtype("f99");
  const RawClient::Outcome outcome =
      raw_->Send({Hello(), Register("func.func @main("), Put(1), Execute(1, 1, 2), Fetch(1, 2),
                  bad_put, Execute(1, 5, 6), Fetch(2, 6), Fetch(3, 77), Fetch(4, 1)},
                 5);
  ASSERT_EQ(outcome.events.size(), 5u);
  EXPECT_EQ(outcome.events[1].ready().code(), 3u);
  EXPECT_THAT(outcome.events[2].ready().message(), HasSubstr("f99"));
  EXPECT_EQ(outcome.events[3].ready().code(), 5u);
  EXPECT_EQ(outcome.events[4].ready().code(), 0u);
}

TEST_F(ProtocolTest, UploadsOfNothingKnownAreNotFound) {
  grpc::ClientContext context;
  v1::UploadReply reply;
  auto stream = raw_->stub().Upload(&context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token("nobody");
  stream->Write(chunk);
  stream->WritesDone();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::NOT_FOUND);

  grpc::ClientContext download_context;
  auto download = raw_->stub().Download(&download_context, v1::DownloadRequest());
  v1::DownloadChunk got;
  EXPECT_FALSE(download->Read(&got));
  EXPECT_EQ(download->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ProtocolTest, RunAnswersOneProgram) {
  grpc::ClientContext context;
  v1::RunRequest request;
  request.mutable_program()->set_text(kDoubleText);
  *request.add_arguments() = TwoFloats(3, 4);
  v1::RunReply reply;
  const grpc::Status status = raw_->stub().Run(&context, request, &reply);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(reply.results_size(), 1);
  EXPECT_EQ(reply.results(0).data(), TwoFloats(6, 8).data());
  engine_.AwaitSessions(0);
}

TEST_F(ProtocolTest, RunSaysWhatIsWrong) {
  const auto run = [this](const std::string& text, const std::string& entry) {
    grpc::ClientContext context;
    v1::RunRequest request;
    request.mutable_program()->set_text(text);
    request.mutable_program()->set_file_name("m.mlir");
    request.mutable_program()->set_entry(entry);
    *request.add_arguments() = TwoFloats(3, 4);
    v1::RunReply reply;
    return raw_->stub().Run(&context, request, &reply);
  };
  EXPECT_EQ(run("nonsense", "").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(run("nonsense", "").error_message(), HasSubstr("m.mlir:1:"));
  EXPECT_EQ(run(kDoubleText, "other").error_code(), grpc::StatusCode::NOT_FOUND);
  grpc::ClientContext context;
  v1::RunReply reply;
  EXPECT_EQ(raw_->stub().Run(&context, v1::RunRequest(), &reply).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  engine_.AwaitSessions(0);
}

TEST_F(ProtocolTest, CancelledRunLeavesNothing) {
  engine_.Hold();
  grpc::ClientContext context;
  v1::RunRequest request;
  request.mutable_program()->set_text(kDoubleText);
  *request.add_arguments() = TwoFloats(3, 4);
  v1::RunReply reply;
  grpc::CompletionQueue queue;
  grpc::Status status;
  auto call = raw_->stub().AsyncRun(&context, request, &queue);
  call->Finish(&reply, &status, nullptr);
  engine_.AwaitSessions(1);
  context.TryCancel();
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  engine_.AwaitSessions(0);
  engine_.Resume();
  ExpectServes();
}

TEST_F(ProtocolTest, RandomAndMutatedBytesGetAStatus) {
  raw_->SendGarbage(20261121, 300);
  engine_.AwaitSessions(0);
  ExpectServes();
}

TEST_F(ProtocolTest, NotServingWhileItDrains) {
  for (const std::string service : {"", "acceld.v1.Acceld"}) {
    EXPECT_EQ(raw_->HealthOf(service).value(), RawClient::Health::kServing) << service;
  }
  EXPECT_EQ(raw_->HealthOf("acceld.v1.Nothing").status().code(), absl::StatusCode::kNotFound);
  server_->StopAccepting();
  for (const std::string service : {"", "acceld.v1.Acceld"}) {
    EXPECT_EQ(raw_->HealthOf(service).value(), RawClient::Health::kNotServing) << service;
  }
  EXPECT_EQ(raw_->Send({Hello()}).status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ProtocolTest, HealthAndReflectionAnswer) {
  // The standard services, by their method names; an empty request is a valid one for Check.
  const auto has = [this](const std::string& method) {
    grpc::GenericStub stub(raw_->channel());
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    grpc::ByteBuffer reply;
    grpc::Status status;
    grpc::Slice empty;
    auto call = stub.PrepareUnaryCall(&context, method, grpc::ByteBuffer(&empty, 1), &queue);
    call->StartCall();
    call->Finish(&reply, &status, nullptr);
    void* tag;
    bool ok;
    queue.Next(&tag, &ok);
    return status.error_code() != grpc::StatusCode::UNIMPLEMENTED;
  };
  EXPECT_TRUE(has("/grpc.health.v1.Health/Check"));
  EXPECT_TRUE(has("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"));
  EXPECT_FALSE(has("/acceld.v1.Acceld/NoSuchMethod"));
}

}  // namespace
}  // namespace acceld::testing
