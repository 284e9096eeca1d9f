#include "tests/soak/attacker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/strings/substitute.h"
#include "client/client.h"
#include "client/program.h"
#include "common/memory/segment_messages.h"
#include "common/net/packet_socket.h"
#include "tests/support/daemon/process.h"
#include "tests/support/net/raw_packet.h"

namespace acceld::soak {
namespace {

using client::Client;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr char kEndlessLoop[] = R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.while"(%x) ({
   ^bb0(%a: tensor<8xf32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
   ^bb0(%a: tensor<8xf32>):
    %c = stablehlo.add %a, %a : tensor<8xf32>
    stablehlo.return %c : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
})";
constexpr char kLongWindow[] = R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 70368744177664>, window_strides = array<i64: 1>,
      base_dilations = array<i64: 1>, window_dilations = array<i64: 1>,
      padding = dense<[[70368744177663, 0]]> : tensor<1x2xi64>}
      : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})";
constexpr char kLargeProducts[] = R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %f = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
  %w = "stablehlo.while"(%b) ({
   ^bb0(%a: tensor<1000x1000xf32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
   ^bb0(%a: tensor<1000x1000xf32>):
    %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
      : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    stablehlo.return %p : tensor<1000x1000xf32>
  }) : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  %r = stablehlo.slice %w [0:1, 0:8] : (tensor<1000x1000xf32>) -> tensor<1x8xf32>
  %v = stablehlo.reshape %r : (tensor<1x8xf32>) -> tensor<8xf32>
  return %v : tensor<8xf32>
})";

const ir::Literal& Zeros() {
  static const auto* const zeros = new ir::Literal(
      ir::Literal::FromValues<float>({ir::DType::kF32, {8}}, std::vector<float>(8, 0)));
  return *zeros;
}

absl::StatusOr<std::shared_ptr<Client>> Connect(const std::string& address,
                                                const std::string& token, uint32_t seed) {
  return Client::Connect({.address = address,
                          .credentials = {.token = token},
                          .client_name = "soak-attack",
                          // Every third session could outlive its process.
                          .lease = milliseconds(seed % 3 == 0 ? 2'000 : 0),
                          .connect_timeout = milliseconds(10'000)});
}

// Endless programs, several at once.
absl::Status RunEndlessPrograms(Client& client, std::mt19937& random) {
  const char* const texts[] = {kEndlessLoop, kLongWindow, kLargeProducts};
  std::vector<client::Array> results;
  for (int i = 0; i < 3; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const client::Program program,
                            client::Program::FromText(texts[random() % std::size(texts)]));
    ACCELD_ASSIGN_OR_RETURN(const client::Array x, client.Upload(Zeros()));
    ACCELD_ASSIGN_OR_RETURN(const auto outputs, client.Execute(program, {x}));
    results.insert(results.end(), outputs.begin(), outputs.end());
  }
  while (true) {
    std::this_thread::sleep_for(milliseconds(200));
    (void)results[random() % results.size()].Cancel("not wanted");
    ACCELD_ASSIGN_OR_RETURN(const client::Program program,
                            client::Program::FromText(texts[random() % std::size(texts)]));
    ACCELD_ASSIGN_OR_RETURN(const client::Array x, client.Upload(Zeros()));
    ACCELD_ASSIGN_OR_RETURN(const auto outputs,
                            client.Execute(program, {x}, {}, {.timeout = milliseconds(150)}));
    results.insert(results.end(), outputs.begin(), outputs.end());
  }
}

// A distinct program each time, as fast as they are taken, and none of them awaited.
absl::Status FloodWithPrograms(Client& client, std::mt19937& random) {
  while (true) {
    for (int i = 0; i < 20; ++i) {
      ACCELD_ASSIGN_OR_RETURN(const client::Program program,
                              client::Program::FromText(absl::Substitute(R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<$0.5> : tensor<8xf32>
  %0 = stablehlo.multiply %x, %c : tensor<8xf32>
  %1 = stablehlo.tanh %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
})",
                                                                         random() % 1'000'000)));
      ACCELD_ASSIGN_OR_RETURN(const client::Array x, client.Upload(Zeros()));
      ACCELD_RETURN_IF_ERROR(client.Execute(program, {x}).status());
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
}

// Packets with too many descriptors, of wrong sizes and of noise, and connections that say nothing.
absl::Status SendMalformedPackets(const std::string& address, std::mt19937& random) {
  const std::string path(absl::StripPrefix(address, "unix:"));
  const UniqueFd memory(open("/dev/zero", O_RDWR | O_CLOEXEC));
  const auto ways = testing::WaysToPass(memory.get());
  std::vector<UniqueFd> silent;
  while (true) {
    absl::StatusOr<UniqueFd> segments =
        ConnectPacketSocket(absl::StrCat(path, segment::kSocketSuffix));
    UniqueFd plain(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name = {.sun_family = AF_UNIX};
    path.copy(name.sun_path, sizeof(name.sun_path) - 1);
    const bool connected =
        connect(plain.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0;
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (random() % 2 == 0) {
      const segment::Request request{.kind = static_cast<segment::RequestKind>(random() % 11)};
      bytes.assign(reinterpret_cast<const char*>(&request), sizeof(request));
    }
    if (segments.ok()) {
      (void)testing::SendRawPacket(segments->get(), bytes, ways[random() % ways.size()]);
      if (random() % 4 == 0) silent.push_back(*std::move(segments));
    }
    if (connected) {
      (void)testing::SendRawPacket(plain.get(), bytes, ways[random() % ways.size()]);
      if (random() % 4 == 0) silent.push_back(std::move(plain));
    }
    if (silent.size() > 200) silent.clear();
    std::this_thread::sleep_for(milliseconds(2));
  }
}

// Large arrays and named ones, as many as are taken.
absl::Status TakeAll(Client& client, uint32_t seed) {
  const auto large =
      ir::Literal::FromValues<float>({ir::DType::kF32, {1 << 20}}, std::vector<float>(1 << 20, 1));
  std::vector<client::Array> kept;
  while (true) {
    ACCELD_ASSIGN_OR_RETURN(client::Array array, client.Upload(large));
    // The same names each time: those of a process that is killed stay.
    (void)client.Publish(array, absl::StrCat("attack/", seed % 8), {.replace = true});
    kept.push_back(std::move(array));
    if (kept.size() > 32) kept.clear();
    std::this_thread::sleep_for(milliseconds(5));
  }
}

constexpr const char* kKinds[] = {"endless", "programs", "packets", "arrays"};

}  // namespace

absl::StatusOr<WorkerReport> RunAttacker(const WorkerOptions& options) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options.seconds));
  std::mt19937 random(options.seed);
  WorkerReport report;
  for (uint32_t round = options.seed; Clock::now() < end; ++round) {
    ACCELD_ASSIGN_OR_RETURN(
        testing::Process process,
        testing::Process::Start({self, "attack", kKinds[round % std::size(kKinds)], options.address,
                                 absl::StrCat(options.seed + 1000 * round), options.token},
                                "/dev/null"));
    const auto kill_at = std::min(end, Clock::now() + milliseconds(300 + random() % 3000));
    std::this_thread::sleep_until(kill_at);
    process.Signal(SIGKILL);
    (void)process.Wait();
    ++report.operations;
  }
  return report;
}

int AttackMain(const std::vector<std::string>& arguments) {
  if (arguments.size() != 5) return EXIT_FAILURE;
  const std::string &kind = arguments[1], &address = arguments[2], &token = arguments[4];
  const auto seed = static_cast<uint32_t>(std::strtoul(arguments[3].c_str(), nullptr, 10));
  std::mt19937 random(seed);
  // Whatever the daemon answers, it is attacked again.
  while (true) {
    absl::Status ended;
    if (kind == "packets") {
      ended = SendMalformedPackets(address, random);
    } else {
      const absl::StatusOr<std::shared_ptr<Client>> client = Connect(address, token, seed);
      if (!client.ok()) {
        ended = client.status();
      } else if (kind == "endless") {
        ended = RunEndlessPrograms(**client, random);
      } else if (kind == "programs") {
        ended = FloodWithPrograms(**client, random);
      } else {
        ended = TakeAll(**client, seed);
      }
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
}

}  // namespace acceld::soak
