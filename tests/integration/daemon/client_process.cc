// A client in a process of its own, for tests to start and to kill:
//   client_process MODE ADDRESS [ARGUMENT...]
// Its session has the mode's name. The exit code is 0 when all went as the mode says.
//
//   submit GATE INDEX    connects, waits until the named pipe GATE has a writer, then runs a
//                        program of 64 steps on numbers of its own and checks the result
//   programs GATE COUNT  waits for GATE likewise, then runs COUNT programs, the same ones in every
//                        process, and checks their results
//   spin                 starts an endless loop and waits for it
//   callback             runs a program that calls it back, says "called" then, and never answers
//   churn                uploads, computes and fetches without an end
//   mix SEED LEASE_MS    mixed work without an end, in one session after another; wrong results
//                        end it
//   stall                holds arrays, executions that wait for an upload, and that upload half
//                        done
//   sharded SEED STEPS   executes that many programs on several devices and checks the results
//   exchange DEVICES     starts an endless exchange of values between these devices ("0,2"), and
//                        waits for it
//   mute                 executes programs on devices 0 to 3, asks for their results and reads
//   none;
//                        one of them has an input that never comes

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/client.h"
#include "client/tracing.h"
#include "tests/integration/raw_client.h"
#include "tests/support/daemon/mixed_work.h"
#include "tests/support/daemon/sharded_work.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::Tensor;

absl::StatusOr<std::shared_ptr<Client>> Connect(const std::string& mode,
                                                const std::string& address) {
  return Client::Connect({.address = address, .client_name = mode});
}

ir::Literal Full(int64_t size, float value) {
  return ir::Literal::FromValues<float>({ir::DType::kF32, {size}},
                                        std::vector<float>(static_cast<size_t>(size), value));
}

// Until the named pipe has a writer.
absl::Status WaitFor(const std::string& gate) {
  const int pipe = open(gate.c_str(), O_RDONLY);
  if (pipe < 0) return absl::ErrnoToStatus(errno, gate);
  close(pipe);
  return absl::OkStatus();
}

absl::Status Programs(const std::string& address, const std::string& gate, int count) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Connect("programs", address));
  ACCELD_RETURN_IF_ERROR(WaitFor(gate));
  ACCELD_ASSIGN_OR_RETURN(const Array x, client->Upload(Full(1000, 3)));
  std::vector<Array> results;
  for (int i = 0; i < count; ++i) {
    Function add(client, [i](const Tensor& y) { return y * 2 + static_cast<float>(i); });
    ACCELD_ASSIGN_OR_RETURN(Array result, add(x));
    results.push_back(std::move(result));
  }
  for (int i = 0; i < count; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, results[static_cast<size_t>(i)].Fetch());
    if (!(value == Full(1000, static_cast<float>(6 + i)))) {
      return absl::InternalError(absl::StrCat("program ", i, ": a wrong result"));
    }
  }
  return absl::OkStatus();
}

absl::Status Submit(const std::string& address, const std::string& gate, float index) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Connect("submit", address));
  Function steps(client, [](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < 64; ++i) y = Maximum(y, Sin(y)) + 1;
    return y;
  });
  ACCELD_RETURN_IF_ERROR(WaitFor(gate));
  ACCELD_ASSIGN_OR_RETURN(const Array x, client->Upload(Full(1000, 100 * index + 2)));
  ACCELD_ASSIGN_OR_RETURN(const Array y, steps(x));
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, y.Fetch());
  // From 2 on, x is larger than its sine.
  if (value == Full(1000, 100 * index + 2 + 64)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("client ", index, ": a wrong result"));
}

absl::Status Spin(const std::string& address) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Connect("spin", address));
  ACCELD_ASSIGN_OR_RETURN(const client::Program program, client::Program::FromText(R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.while(%y = %x) : tensor<f32>
    cond {
      %c = stablehlo.compare EQ, %y, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %z = stablehlo.negate %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }
  return %r : tensor<f32>
})"));
  ACCELD_ASSIGN_OR_RETURN(const Array x,
                          client->Upload(ir::Literal::Filled({ir::DType::kF32, {}}, 1)));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> y, client->Execute(program, {x}));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> z, client->Execute(program, y));
  return z.front().Await();
}

absl::Status Churn(const std::string& address) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Connect("churn", address));
  Function increment(client, [](const Tensor& x) { return x + 1; });
  while (true) {
    ACCELD_ASSIGN_OR_RETURN(Array y, client->Upload(Full(1 << 20, 0)));
    std::vector<Array> all = {y};
    for (int i = 0; i < 10; ++i) {
      ACCELD_ASSIGN_OR_RETURN(y, increment(y));
      all.push_back(y);
    }
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, y.Fetch());
    if (!(value == Full(1 << 20, 10))) return absl::InternalError("churn: a wrong result");
  }
}

absl::Status Mix(const std::string& address, uint32_t seed, int lease_ms) {
  constexpr int kStepsOfASession = 30;
  for (uint32_t round = 0;; ++round) {
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client,
                            Client::Connect({.address = address,
                                             .client_name = "mix",
                                             .lease = std::chrono::milliseconds(lease_ms),
                                             .connect_timeout = std::chrono::seconds(60)}));
    MixedWork work(client,
                   {.seed = seed + 1000 * round, .name_prefix = absl::StrCat("mix/", seed)});
    for (int step = 0; step < kStepsOfASession; ++step) ACCELD_RETURN_IF_ERROR(work.Step());
  }
}

absl::Status Stall(const std::string& address) {
  RawClient raw(address);
  grpc::ClientContext channel_context, upload_context;
  auto channel = raw.stub().Channel(&channel_context);
  v1::CommandBatch batch;
  v1::Command hello = Hello();
  hello.mutable_hello()->set_client_name("stall");
  *batch.add_commands() = hello;
  *batch.add_commands() = Register(kDoubleText);
  for (uint64_t handle = 1; handle <= 100; ++handle) *batch.add_commands() = Put(handle);
  v1::BeginUpload& begin = *batch.add_commands()->mutable_begin_upload();
  begin.set_handle(1000);
  begin.mutable_type()->set_dtype("f32");
  begin.mutable_type()->add_dims(2);
  for (uint64_t output = 1001; output <= 1100; ++output) {
    *batch.add_commands() = Execute(1, output - 1, output);
  }
  // A large one beside it, of which a part has come.
  v1::BeginUpload& large = *batch.add_commands()->mutable_begin_upload();
  large.set_handle(2000);
  large.mutable_type()->set_dtype("f32");
  large.mutable_type()->add_dims(16 << 20);
  channel->Write(batch);

  std::string token;
  bool credited = false;
  v1::EventBatch events;
  while (!credited) {
    if (!channel->Read(&events)) return absl::UnavailableError("stall: the channel has ended");
    for (const v1::Event& event : events.events()) {
      if (event.has_welcome()) token = event.welcome().session_token();
      credited = credited || event.has_credit();
    }
  }
  v1::UploadReply reply;
  auto upload = raw.stub().Upload(&upload_context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token(token);
  chunk.set_handle(2000);
  chunk.set_data(std::string(1 << 20, '\0'));
  for (int i = 0; i < 8; ++i) {
    if (!upload->Write(chunk)) return absl::UnavailableError("stall: the upload has ended");
  }
  // Flow control holds the writes back until the daemon has taken most of it.
  std::cerr << "uploading" << std::endl;
  // Until it is killed.
  channel->Read(&events);
  return absl::UnavailableError("stall: an answer to nothing");
}

absl::Status Sharded(const std::string& address, uint32_t seed, int steps) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Connect("sharded", address));
  ShardedWork work(std::move(client), seed);
  for (int i = 0; i < steps; ++i) ACCELD_RETURN_IF_ERROR(work.Step());
  return absl::OkStatus();
}

absl::Status Exchange(const std::string& address, const std::string& numbers) {
  std::vector<uint32_t> devices;
  for (const absl::string_view number : absl::StrSplit(numbers, ',')) {
    if (!absl::SimpleAtoi(number, &devices.emplace_back())) {
      return absl::InvalidArgumentError(numbers);
    }
  }
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<Client> client, Connect("exchange", address));
  ACCELD_ASSIGN_OR_RETURN(
      const client::Program program,
      client::Program::FromText(EndlessExchangeText(static_cast<int>(devices.size()))));
  ACCELD_ASSIGN_OR_RETURN(const Shards values, UploadShards(*client, devices));
  ACCELD_ASSIGN_OR_RETURN(const Shards results, client->ExecuteSharded(program, values, devices));
  return results[0][0].Await();
}

absl::Status Mute(const std::string& address) {
  constexpr uint64_t kLate = 100;
  RawClient raw(address);
  grpc::ClientContext context;
  auto channel = raw.stub().Channel(&context);
  v1::CommandBatch batch;
  v1::Command hello = Hello();
  hello.mutable_hello()->set_client_name("mute");
  *batch.add_commands() = hello;
  *batch.add_commands() = Register(AddSumText(4));
  for (uint64_t handle = 1; handle <= 4; ++handle) *batch.add_commands() = Put(handle);
  v1::BeginUpload& begin = *batch.add_commands()->mutable_begin_upload();
  begin.set_handle(kLate);
  begin.mutable_type()->set_dtype("f32");
  begin.mutable_type()->add_dims(2);
  *batch.add_commands() = ExecuteSharded(1, {1, 2, kLate, 4}, {101, 102, 103, 104});
  channel->Write(batch);
  for (uint64_t output = 200;; output += 4) {
    batch.Clear();
    *batch.add_commands() =
        ExecuteSharded(1, {1, 2, 3, 4}, {output, output + 1, output + 2, output + 3});
    for (uint64_t i = 0; i < 4; ++i) *batch.add_commands() = Fetch(output + i, output + i);
    // Until flow control holds it back, or the daemon ends the session.
    if (!channel->Write(batch)) return absl::UnavailableError("mute: the channel has ended");
  }
}

absl::Status Callback(const std::string& address) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Connect("callback", address));
  ACCELD_ASSIGN_OR_RETURN(const client::Program program, client::Program::FromText(R"(
    func.func @main() -> tensor<f32> {
      %0 = stablehlo.custom_call @acceld.host_callback() {acceld.callback = 0 : i64} : () -> tensor<f32>
      return %0 : tensor<f32>
    })"));
  const client::HostCallback hang = [](auto) -> absl::StatusOr<std::vector<ir::Literal>> {
    std::cerr << "called" << std::endl;
    while (true) pause();
  };
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> results,
                          client->Execute(program, {}, {}, {.callbacks = {hang}}));
  return results[0].Await();
}

absl::Status Run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "submit" && arguments.size() == 4) {
    return Submit(arguments[1], arguments[2], static_cast<float>(std::atoi(arguments[3].c_str())));
  }
  if (mode == "programs" && arguments.size() == 4) {
    return Programs(arguments[1], arguments[2], std::atoi(arguments[3].c_str()));
  }
  if (mode == "spin" && arguments.size() == 2) return Spin(arguments[1]);
  if (mode == "callback" && arguments.size() == 2) return Callback(arguments[1]);
  if (mode == "churn" && arguments.size() == 2) return Churn(arguments[1]);
  if (mode == "mix" && arguments.size() == 4) {
    return Mix(arguments[1], static_cast<uint32_t>(std::atoi(arguments[2].c_str())),
               std::atoi(arguments[3].c_str()));
  }
  if (mode == "stall" && arguments.size() == 2) return Stall(arguments[1]);
  if (mode == "sharded" && arguments.size() == 4) {
    return Sharded(arguments[1], static_cast<uint32_t>(std::atoi(arguments[2].c_str())),
                   std::atoi(arguments[3].c_str()));
  }
  if (mode == "exchange" && arguments.size() == 3) return Exchange(arguments[1], arguments[2]);
  if (mode == "mute" && arguments.size() == 2) return Mute(arguments[1]);
  return absl::InvalidArgumentError(
      "usage: client_process submit|programs|spin|callback|churn|mix|stall|sharded|exchange|mute "
      "ADDRESS ...");
}

}  // namespace
}  // namespace acceld::testing

int main(int argc, char** argv) {
  const absl::Status status = acceld::testing::Run(std::vector<std::string>(argv + 1, argv + argc));
  if (status.ok()) return 0;
  std::cerr << status << std::endl;
  return 1;
}
