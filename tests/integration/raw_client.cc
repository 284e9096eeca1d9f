#include "tests/integration/raw_client.h"

#include <chrono>
#include <random>
#include <utility>

#include "client/transport/dial/token_sender.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"

namespace acceld::testing {
namespace {

constexpr std::chrono::minutes kDeadline{2};

std::string Batch(std::vector<v1::Command> commands) {
  v1::CommandBatch batch;
  for (v1::Command& command : commands) *batch.add_commands() = std::move(command);
  return batch.SerializeAsString();
}

std::string ValidRun() {
  v1::RunRequest run;
  run.mutable_program()->set_text(kDoubleText);
  *run.add_arguments() = TwoFloats(3, 4);
  return run.SerializeAsString();
}

std::string ValidChunk() {
  v1::UploadChunk chunk;
  chunk.set_session_token(std::string(16, 'x'));
  chunk.set_handle(1);
  chunk.set_data("12345678");
  return chunk.SerializeAsString();
}

// Random bytes instead, or the same with its end cut off or some bytes changed.
std::string Mutate(std::string bytes, std::mt19937& random) {
  if (random() % 5 == 0) {
    bytes.assign(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }
  if (random() % 4 == 0) bytes.resize(random() % bytes.size());
  for (int flips = 1 + random() % 4; flips > 0 && !bytes.empty(); --flips) {
    bytes[random() % bytes.size()] = static_cast<char>(random());
  }
  return bytes;
}

}  // namespace

const char kDoubleText[] =
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
v1::Command ExecuteSharded(uint64_t program, std::vector<uint64_t> inputs,
                           std::vector<uint64_t> outputs) {
  v1::Command command;
  v1::ExecuteSharded& execute = *command.mutable_execute_sharded();
  execute.set_program_id(program);
  for (uint32_t i = 0; i < outputs.size(); ++i) execute.add_devices(i);
  execute.mutable_inputs()->Add(inputs.begin(), inputs.end());
  execute.mutable_outputs()->Add(outputs.begin(), outputs.end());
  return command;
}
v1::Command Fetch(uint64_t request, uint64_t handle) {
  v1::Command command;
  command.mutable_fetch()->set_request_id(request);
  command.mutable_fetch()->set_handle(handle);
  return command;
}

v1::Command Cancel(std::vector<uint64_t> handles, const std::string& reason) {
  v1::Command command;
  command.mutable_cancel()->mutable_handles()->Add(handles.begin(), handles.end());
  command.mutable_cancel()->set_reason(reason);
  return command;
}

RawClient::RawClient(const std::string& target, const Login& login) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> interceptors;
  if (!login.token.empty()) interceptors.push_back(client::MakeTokenSender(login.token));
  channel_ = grpc::experimental::CreateCustomChannelWithInterceptors(
      target,
      login.ca_pem.empty() ? grpc::InsecureChannelCredentials()
                           : grpc::SslCredentials({.pem_root_certs = login.ca_pem,
                                                   .pem_private_key = login.key_pem,
                                                   .pem_cert_chain = login.certificate_pem}),
      arguments, std::move(interceptors));
  stub_ = v1::Acceld::NewStub(channel_);
}

RawClient::Outcome RawClient::Send(std::vector<v1::Command> commands, size_t answers) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
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
  // The end comes behind what was not read.
  while (stream->Read(&events)) {
  }
  outcome.status = stream->Finish();
  return outcome;
}

grpc::Status RawClient::SendBytes(const std::string& method,
                                  const std::vector<std::string>& messages) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  grpc::CompletionQueue queue;
  auto call =
      stub.PrepareCall(&context, method[0] == '/' ? method : "/acceld.v1.Acceld/" + method, &queue);
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

void RawStream::Send(std::vector<v1::Command> commands) {
  v1::CommandBatch batch;
  for (v1::Command& command : commands) *batch.add_commands() = std::move(command);
  calls_->Write(batch);
}

v1::Event RawStream::Next() {
  while (events_.events_size() <= next_) {
    next_ = 0;
    if (!calls_->Read(&events_)) return {};
  }
  return events_.events(next_++);
}

absl::StatusOr<RawClient::Health> RawClient::HealthOf(const std::string& service) {
  using grpc::health::v1::HealthCheckResponse;
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  HealthCheckResponse reply;
  const grpc::Status status =
      grpc::health::v1::Health::NewStub(channel_)->Check(&context, request, &reply);
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }
  if (reply.status() == HealthCheckResponse::UNKNOWN) return Health::kUnknown;
  return reply.status() == HealthCheckResponse::SERVING ? Health::kServing : Health::kNotServing;
}

void RawClient::SendGarbage(uint32_t seed, int rounds) {
  const std::string hello = Batch({Hello()});
  const std::string session = Batch({Hello(), Register(kDoubleText), Put(1), Execute(1, 1, 2),
                                     Cancel({2, 1}, "why"), Fetch(1, 2)});
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) {
      std::vector<std::string> messages = {Mutate(session, random)};
      if (random() % 2) messages.insert(messages.begin(), hello);
      SendBytes("Channel", messages);
    } else if (round % 8 == 1) {
      SendBytes("Upload", {Mutate(ValidChunk(), random)});
    } else {
      SendBytes("Run", {Mutate(ValidRun(), random)});
    }
  }
}

}  // namespace acceld::testing
