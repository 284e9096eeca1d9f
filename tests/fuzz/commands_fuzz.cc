#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "acceld/v1/acceld.pb.h"
#include "common/check.h"
#include "common/log/log.h"
#include "google/protobuf/stubs/logging.h"
#include "server/rpc/session/client_session.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

// A session carries out or refuses any commands, and soon after it has ended, none of its
// executions is left, on one device or on several. An input is a serialized CommandBatch. Its bytes
// are then damaged one by one: that reaches deep into valid commands.
namespace {

using acceld::rpc::ClientSession;

// A stream whose client reads all events at once.
class Stream final : public acceld::rpc::SessionStream {
 public:
  void Send(acceld::v1::Event) override {}
  void BeginRequest() override {}
  void EndRequest() override {}
  void NoteRefusal(acceld::observability::Refusal, const absl::Status&) override {}
  bool HoldsBackClient() override { return false; }
  void ContinueCommands() override {}
  void SendGoodbye(const absl::Status&) override {}
  void Displace(const absl::Status&) override {}
};

// One engine for all inputs, with three devices.
struct Daemon {
  acceld::testing::FakeCompiler compiler;
  std::unique_ptr<acceld::engine::Engine> engine = acceld::testing::MakeFakeEngine(
      compiler, {.engine = {.max_queued_executions = 1000}, .devices = 3});
  acceld::rpc::RpcOptions options;
};

void CarryOut(Daemon& daemon, acceld::v1::CommandBatch& batch) {
  auto session = daemon.engine->OpenSession({.client_name = "fuzz"});
  ACCELD_CHECK(session.ok());
  {
    ClientSession client(*daemon.engine, *session, {}, daemon.options,
                         std::chrono::milliseconds(0));
    const auto stream = std::make_shared<Stream>();
    ACCELD_CHECK(client.Attach(stream).ok());
    client.OnWelcomeSent(stream);
    for (acceld::v1::Command& command : *batch.mutable_commands()) {
      const auto taken = client.Take(command, /*awaited=*/false, stream);
      if (!taken.ok()) {
        ACCELD_CHECK(!taken.status().message().empty());
        break;
      }
      if (*taken != ClientSession::TakeResult::kTaken) break;
    }
    client.End(absl::CancelledError("the input has ended"));
  }
  // What is queued ends soon, as it is cancelled.
  ACCELD_CHECK(acceld::testing::Eventually([&] { return (*session)->queued() == 0; }));
  session->reset();
  ACCELD_CHECK(acceld::testing::Eventually([&] {
    const acceld::EngineStats stats = daemon.engine->Stats();
    return stats.sessions == 0 && stats.gangs_running == 0 && stats.gangs_waiting == 0;
  }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);  // Damaged strings are no news here.
  acceld::SetLogLevel(acceld::LogLevel::kError);
  static Daemon& daemon = *new Daemon;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  acceld::v1::CommandBatch batch;
  if (!batch.ParseFromString(bytes)) return 0;
  CarryOut(daemon, batch);
  // Each round changes another byte, by amounts that depend on the input.
  uint64_t state = 0x9E3779B97F4A7C15u ^ size;
  for (int round = 0; round < 16 && !bytes.empty(); ++round) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const size_t at = (state >> 33) % bytes.size();
    const char kept = bytes[at];
    // Handles, devices and counts are small numbers, which are one byte each.
    bytes[at] = (state >> 30) % 2 == 0 ? static_cast<char>(kept + (state >> 20) % 5 - 2)
                                       : static_cast<char>(state >> 24);
    acceld::v1::CommandBatch damaged;
    if (damaged.ParseFromString(bytes)) CarryOut(daemon, damaged);
    if (round % 2 == 0) bytes[at] = kept;
  }
  return 0;
}
