// What a client that does not keep to the protocol gets: a status, and nobody else is disturbed.

#include <random>
#include <string>
#include <vector>

#include "acceld/v1/acceld.grpc.pb.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "tests/integration/rpc_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kDouble[] =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %y = stablehlo.add %x, %x : tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n";

v1::Literal TwoFloats(float a, float b) {
  v1::Literal literal;
  literal.mutable_type()->set_dtype("f32");
  literal.mutable_type()->add_dims(2);
  const float values[] = {a, b};
  literal.set_data(reinterpret_cast<const char*>(values), sizeof(values));
  return literal;
}

v1::Command Hello() {
  v1::Command command;
  command.mutable_hello()->set_protocol_version(1);
  return command;
}
v1::Command Put(uint64_t handle) {
  v1::Command command;
  command.mutable_put()->set_handle(handle);
  *command.mutable_put()->mutable_literal() = TwoFloats(1, 2);
  return command;
}
v1::Command Register(const std::string& text) {
  v1::Command command;
  command.mutable_register_program()->set_program_id(1);
  command.mutable_register_program()->mutable_program()->set_text(text);
  return command;
}
v1::Command Execute(uint64_t program, uint64_t input, uint64_t output) {
  v1::Command command;
  command.mutable_execute()->set_program_id(program);
  command.mutable_execute()->add_inputs(input);
  command.mutable_execute()->add_outputs(output);
  return command;
}
v1::Command Fetch(uint64_t request, uint64_t handle) {
  v1::Command command;
  command.mutable_fetch()->set_request_id(request);
  command.mutable_fetch()->set_handle(handle);
  return command;
}

std::string Batch(v1::Command command) {
  v1::CommandBatch batch;
  *batch.add_commands() = std::move(command);
  return batch.SerializeAsString();
}

class ProtocolTest : public RpcTest {
 protected:
  void SetUp() override {
    RpcTest::SetUp();
    channel_ = grpc::CreateChannel(address(), grpc::InsecureChannelCredentials());
    stub_ = v1::Acceld::NewStub(channel_);
  }

  struct Outcome {
    std::vector<v1::Event> events;
    grpc::Status status;
  };
  // Sends the commands as one batch, reads until `answers` events came (or the end), then closes.
  Outcome Send(std::vector<v1::Command> commands, size_t answers = 100) {
    grpc::ClientContext context;
    auto stream = stub_->Channel(&context);
    v1::CommandBatch batch;
    for (v1::Command& command : commands) *batch.add_commands() = std::move(command);
    stream->Write(batch);
    Outcome outcome;
    v1::EventBatch events;
    while (outcome.events.size() < answers && stream->Read(&events)) {
      outcome.events.insert(outcome.events.end(), events.events().begin(), events.events().end());
    }
    stream->WritesDone();
    outcome.status = stream->Finish();
    return outcome;
  }

  // Sends raw bytes as messages of a method and waits for the end of the call.
  grpc::Status SendBytes(const std::string& method, const std::vector<std::string>& messages) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    auto call = stub.PrepareCall(&context, "/acceld.v1.Acceld/" + method, &queue);
    const auto wait = [&queue] {
      void* tag;
      bool ok;
      return queue.Next(&tag, &ok) && ok;
    };
    call->StartCall(nullptr);
    bool ok = wait();
    for (const std::string& message : messages) {
      if (!ok) break;
      grpc::Slice slice(message);
      call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
      ok = wait();
    }
    call->WritesDone(nullptr);
    wait();
    grpc::ByteBuffer reply;
    do {
      call->Read(&reply, nullptr);
    } while (wait());
    grpc::Status status;
    call->Finish(&status, nullptr);
    wait();
    return status;
  }

  void ExpectServes() {
    auto client = Connect();
    EXPECT_TRUE(client->Upload(Floats({1}))->Await().ok());
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Acceld::Stub> stub_;
};

TEST_F(ProtocolTest, WelcomeThenAnswers) {
  const Outcome outcome =
      Send({Hello(), Register(kDouble), Put(1), Execute(1, 1, 2), Fetch(9, 2)}, 2);
  ASSERT_EQ(outcome.events.size(), 2u);
  EXPECT_EQ(outcome.events[0].welcome().session_token().size(), 16u);
  EXPECT_EQ(outcome.events[1].ready().request_id(), 9u);
  EXPECT_EQ(outcome.events[1].ready().data(), TwoFloats(2, 4).data());
  EXPECT_TRUE(outcome.status.ok());
}

TEST_F(ProtocolTest, ViolationsEndTheStream) {
  EXPECT_EQ(Send({Put(1)}).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Send({Hello(), Hello()}).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Send({Hello(), v1::Command()}).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Send({Hello(), Put(1), Put(1)}).status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  v1::Command old = Hello();
  old.mutable_hello()->set_protocol_version(99);
  EXPECT_EQ(Send({old}).status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  engine_.AwaitSessions(0);
}

TEST_F(ProtocolTest, UndecodableMessageIsInvalid) {
  EXPECT_EQ(SendBytes("Channel", {"\xff\xff\xff"}).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ProtocolTest, WindowIsEnforced) {
  rpc::RpcOptions options;
  options.command_window = 8;
  StartServer(options);
  channel_ = grpc::CreateChannel(address(), grpc::InsecureChannelCredentials());
  stub_ = v1::Acceld::NewStub(channel_);
  std::vector<v1::Command> commands = {Hello()};
  for (uint64_t i = 0; i < 8; ++i) commands.push_back(Put(i));
  const grpc::Status status = Send(commands).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("the window is 8"));
}

TEST_F(ProtocolTest, WrongCommandsFailTheirOutputsOnly) {
  v1::Command bad_put = Put(5);
  bad_put.mutable_put()->mutable_literal()->mutable_type()->set_dtype("f99");
  const Outcome outcome =
      Send({Hello(), Register("func.func @main("), Put(1), Execute(1, 1, 2), Fetch(1, 2), bad_put,
            Execute(1, 5, 6), Fetch(2, 6), Fetch(3, 77), Fetch(4, 1)},
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
  auto stream = stub_->Upload(&context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token("nobody");
  stream->Write(chunk);
  stream->WritesDone();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::NOT_FOUND);

  grpc::ClientContext download_context;
  auto download = stub_->Download(&download_context, v1::DownloadRequest());
  v1::DownloadChunk got;
  EXPECT_FALSE(download->Read(&got));
  EXPECT_EQ(download->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ProtocolTest, RunAnswersOneProgram) {
  grpc::ClientContext context;
  v1::RunRequest request;
  request.mutable_program()->set_text(kDouble);
  *request.add_arguments() = TwoFloats(3, 4);
  v1::RunReply reply;
  const grpc::Status status = stub_->Run(&context, request, &reply);
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
    return stub_->Run(&context, request, &reply);
  };
  EXPECT_EQ(run("nonsense", "").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(run("nonsense", "").error_message(), HasSubstr("m.mlir:1:"));
  EXPECT_EQ(run(kDouble, "other").error_code(), grpc::StatusCode::NOT_FOUND);
  grpc::ClientContext context;
  v1::RunReply reply;
  EXPECT_EQ(stub_->Run(&context, v1::RunRequest(), &reply).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  engine_.AwaitSessions(0);
}

TEST_F(ProtocolTest, CancelledRunLeavesNothing) {
  engine_.Hold();
  grpc::ClientContext context;
  v1::RunRequest request;
  request.mutable_program()->set_text(kDouble);
  *request.add_arguments() = TwoFloats(3, 4);
  v1::RunReply reply;
  grpc::CompletionQueue queue;
  grpc::Status status;
  auto call = stub_->AsyncRun(&context, request, &queue);
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
  v1::CommandBatch batch;
  *batch.add_commands() = Hello();
  *batch.add_commands() = Register(kDouble);
  *batch.add_commands() = Put(1);
  *batch.add_commands() = Execute(1, 1, 2);
  *batch.add_commands() = Fetch(1, 2);
  v1::RunRequest run;
  run.mutable_program()->set_text(kDouble);
  *run.add_arguments() = TwoFloats(3, 4);
  std::mt19937 random(20261121);
  for (int round = 0; round < 300; ++round) {
    const bool channel = round % 2 == 0;
    std::string bytes = channel ? batch.SerializeAsString() : run.SerializeAsString();
    if (round % 10 < 2) {
      bytes.assign(random() % 200, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
    } else {
      if (random() % 4 == 0) bytes.resize(random() % bytes.size());
      for (int flips = 1 + random() % 4; flips > 0 && !bytes.empty(); --flips) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
    }
    std::vector<std::string> messages = {bytes};
    if (channel && random() % 2) messages.insert(messages.begin(), Batch(Hello()));
    SendBytes(channel ? "Channel" : "Run", messages);
  }
  engine_.AwaitSessions(0);
  ExpectServes();
}

TEST_F(ProtocolTest, HealthAndReflectionAnswer) {
  // The standard services, by their method names; an empty request is a valid one for Check.
  const auto has = [this](const std::string& method) {
    grpc::GenericStub stub(channel_);
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
