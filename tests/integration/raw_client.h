#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "grpcpp/grpcpp.h"

// A client without the client library's manners: it sends what it is told to.
namespace acceld::testing {

// x + x for two f32.
extern const char kDoubleText[];
v1::Literal TwoFloats(float a, float b);

// Commands of the channel. Programs have the number 1.
v1::Command Hello();
v1::Command Put(uint64_t handle);  // TwoFloats(1, 2)
v1::Command Register(const std::string& text);
v1::Command Execute(uint64_t program, uint64_t input, uint64_t output);
// On devices 0, 1, ..., one for each of `outputs`.
v1::Command ExecuteSharded(uint64_t program, std::vector<uint64_t> inputs,
                           std::vector<uint64_t> outputs);
v1::Command Fetch(uint64_t request, uint64_t handle);
v1::Command Cancel(std::vector<uint64_t> handles, const std::string& reason = "");

// What a client shows to a daemon; empty: nothing.
struct Login {
  std::string token;
  std::string ca_pem;  // TLS is spoken when this is there
  std::string certificate_pem, key_pem;
};

// One connection. One thread. Every call ends with DEADLINE_EXCEEDED after two minutes.
class RawClient {
 public:
  // `target` as gRPC takes it: "unix:PATH" or "HOST:PORT".
  explicit RawClient(const std::string& target, const Login& login = {});

  struct Outcome {
    std::vector<v1::Event> events;
    grpc::Status status;
  };
  // Sends the commands as one batch on a channel, reads until `answers` events came (or the end),
  // then closes.
  Outcome Send(std::vector<v1::Command> commands, size_t answers = 100);

  // What the standard health service says of `service`; NOT_FOUND when it knows none.
  enum class Health { kUnknown, kServing, kNotServing };
  absl::StatusOr<Health> HealthOf(const std::string& service);

  // Sends raw bytes as messages of a method ("Run", or "/package.Service/Method") and waits for the
  // end of the call.
  grpc::Status SendBytes(const std::string& method, const std::vector<std::string>& messages);

  // Calls Channel, Run and Upload `rounds` times with random bytes and with mutations of valid
  // messages.
  void SendGarbage(uint32_t seed, int rounds);

  v1::Acceld::Stub& stub() { return *stub_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Acceld::Stub> stub_;
};

// One stream of a channel, by hand. Cancelled with this object. One thread.
class RawStream {
 public:
  explicit RawStream(RawClient& client) : calls_(client.stub().Channel(&context_)) {}
  ~RawStream() { context_.TryCancel(); }
  RawStream(const RawStream&) = delete;
  RawStream& operator=(const RawStream&) = delete;

  // As one batch.
  void Send(std::vector<v1::Command> commands);
  // The next event; none at the end.
  v1::Event Next();
  grpc::Status Finish() { return calls_->Finish(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::CommandBatch, v1::EventBatch>> calls_;
  v1::EventBatch events_;
  int next_ = 0;
};

}  // namespace acceld::testing
