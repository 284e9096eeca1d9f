#include "tests/soak/worker.h"

#include <unistd.h>

#include <chrono>
#include <deque>
#include <random>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/tracing.h"
#include "tests/soak/attacker.h"
#include "tests/support/daemon/mixed_work.h"
#include "tests/support/daemon/sharded_work.h"

namespace acceld::soak {
namespace {

using client::Array;
using client::Client;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kStepsOfASession = 50;
// Of a mixed client, on average, between two pieces of work: most programs compute something
// themselves, and the clients share the machine with the daemon.
constexpr double kMeanPauseMs = 100;
constexpr milliseconds kInteractivePause{5};
constexpr size_t kFloodDepth = 64;
constexpr int kNiceOfLoad = 10;
constexpr int64_t kFloodSide = 128;

absl::StatusOr<std::shared_ptr<Client>> Connect(const WorkerOptions& options,
                                                client::Priority priority) {
  return Client::Connect({.address = options.address,
                          .credentials = {.token = options.token},
                          .client_name = absl::StrCat("soak-", RoleName(options.role)),
                          .priority = priority,
                          // Every third session could outlive its connection.
                          .lease = milliseconds(options.seed % 3 == 0 ? 10'000 : 0),
                          .connect_timeout = milliseconds(60'000)});
}

absl::StatusOr<WorkerReport> RunMixed(const WorkerOptions& options, Clock::time_point end) {
  WorkerReport report;
  std::mt19937 random(options.seed);
  std::exponential_distribution<double> pause_ms(1 / kMeanPauseMs);
  for (uint32_t round = 0; Clock::now() < end; ++round) {
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client,
                            Connect(options, client::Priority::kNormal));
    testing::MixedWork work(
        std::move(client),
        {.seed = options.seed + 1000 * round, .name_prefix = absl::StrCat("soak/", options.seed)});
    for (int step = 0; step < kStepsOfASession && Clock::now() < end; ++step) {
      ACCELD_RETURN_IF_ERROR(work.Step());
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(pause_ms(random)));
    }
    report.operations += work.operations();
    report.bytes += work.bytes();
  }
  return report;
}

absl::StatusOr<WorkerReport> RunSharded(const WorkerOptions& options, Clock::time_point end) {
  WorkerReport report;
  for (uint32_t round = 0; Clock::now() < end; ++round) {
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client,
                            Connect(options, client::Priority::kNormal));
    testing::ShardedWork work(std::move(client), options.seed + 1000 * round);
    for (int step = 0; step < kStepsOfASession && Clock::now() < end; ++step) {
      ACCELD_RETURN_IF_ERROR(work.Step());
    }
    report.operations += work.operations();
  }
  return report;
}

// x @ x of the identity: stays what it is, however often.
absl::StatusOr<WorkerReport> RunFlood(const WorkerOptions& options, Clock::time_point end) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client,
                          Connect(options, client::Priority::kBatch));
  std::vector<float> identity(kFloodSide * kFloodSide, 0);
  for (int64_t i = 0; i < kFloodSide; ++i) identity[i * kFloodSide + i] = 1;
  const auto value =
      ir::Literal::FromValues<float>({ir::DType::kF32, {kFloodSide, kFloodSide}}, identity);
  client::Function square(client, [](const client::Tensor& x) { return MatMul(x, x); });
  ACCELD_ASSIGN_OR_RETURN(Array x, client->Upload(value));
  WorkerReport report;
  std::deque<Array> flight;
  while (Clock::now() < end) {
    ACCELD_ASSIGN_OR_RETURN(x, square(x));
    ++report.operations;
    flight.push_back(x);
    if (flight.size() < kFloodDepth) continue;
    ACCELD_RETURN_IF_ERROR(flight.front().Await());
    flight.pop_front();
    if (report.operations % 1000 != 0) continue;
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal result, x.Fetch());
    report.bytes += value.bytes().size();
    if (!(result == value)) return absl::InternalError("flood: a wrong result");
  }
  return report;
}

absl::StatusOr<WorkerReport> RunInteractive(const WorkerOptions& options, Clock::time_point end) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client,
                          Connect(options, client::Priority::kInteractive));
  client::Function increment(client, [](const client::Tensor& x) { return x + 1; });
  WorkerReport report;
  for (float i = 0; Clock::now() < end; i = i > 1e6F ? 0 : i + 1) {
    const auto question =
        ir::Literal::FromValues<float>({ir::DType::kF32, {4}}, std::vector<float>{i, i + 1, 2, 3});
    const auto answer = ir::Literal::FromValues<float>({ir::DType::kF32, {4}},
                                                       std::vector<float>{i + 1, i + 2, 3, 4});
    const Clock::time_point start = Clock::now();
    ACCELD_ASSIGN_OR_RETURN(const Array x, client->Upload(question));
    ACCELD_ASSIGN_OR_RETURN(const Array y, increment(x));
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, y.Fetch());
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    if (!(value == answer)) return absl::InternalError("interactive: a wrong result");
    // The first compiles.
    if (report.operations++ > 0) report.latencies_us.push_back(took.count());
    const Clock::time_point sleep = Clock::now();
    std::this_thread::sleep_for(kInteractivePause);
    const std::chrono::duration<double, std::micro> late = Clock::now() - sleep - kInteractivePause;
    report.lateness_us.push_back(late.count());
  }
  return report;
}

}  // namespace

const char* RoleName(Role role) {
  switch (role) {
    case Role::kMixed:
      return "mixed";
    case Role::kFlood:
      return "flood";
    case Role::kInteractive:
      return "interactive";
    case Role::kSharded:
      return "sharded";
    case Role::kAttacker:
      return "attacker";
  }
  return "";
}

absl::StatusOr<Role> ParseRole(const std::string& name) {
  for (const Role role : kRoles) {
    if (name == RoleName(role)) return role;
  }
  return absl::InvalidArgumentError(absl::StrCat("no role is named '", name, "'"));
}

absl::StatusOr<WorkerReport> RunWorker(const WorkerOptions& options) {
  // On a machine of few processors those who make the load would keep those who measure from
  // running at all. What is asked is what the daemon does.
  if (options.role != Role::kInteractive) (void)nice(kNiceOfLoad);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options.seconds));
  switch (options.role) {
    case Role::kMixed:
      return RunMixed(options, end);
    case Role::kFlood:
      return RunFlood(options, end);
    case Role::kInteractive:
      return RunInteractive(options, end);
    case Role::kSharded:
      return RunSharded(options, end);
    case Role::kAttacker:
      return RunAttacker(options);
  }
  return absl::InternalError("no such role");
}

std::string ToText(const WorkerReport& report) {
  std::ostringstream text;
  text << report.operations << ' ' << report.bytes;
  for (const auto* times : {&report.latencies_us, &report.lateness_us}) {
    text << ' ' << times->size();
    for (const double time : *times) text << ' ' << time;
  }
  text << " end\n";
  return text.str();
}

absl::StatusOr<WorkerReport> FromText(const std::string& text) {
  std::istringstream in(text);
  WorkerReport report;
  in >> report.operations >> report.bytes;
  for (auto* times : {&report.latencies_us, &report.lateness_us}) {
    size_t count = 0;
    in >> count;
    for (size_t i = 0; i < count && in; ++i) in >> times->emplace_back();
  }
  std::string end;
  if (!(in >> end) || end != "end") return absl::DataLossError("a report that is cut short");
  return report;
}

}  // namespace acceld::soak
