// Many client processes at one daemon of four devices for a long time: mixed work of which every
// result is checked, programs over several devices, floods of class batch, and interactive clients
// whose latency is measured alone and among the others. What the daemon holds at the end is what it
// held at first. All but the interactive clients give way where processors are short (nice), for
// what is measured is the daemon and not how the system shares a machine of few processors among
// many processes.
//
//   soak [--seconds 600] [--clients 64] [--attackers 0] [--no-latency]
//
// --attackers: so many of the clients are another identity's that attacks: endless programs, floods
// of programs and arrays, malformed packets, each killed in the middle. The others must not notice.
// --no-latency: a slow answer is no failure. Exit code 0: all is well. The daemon is `acceld` in
// $ACCELD_BIN_DIR, by default the folder of this program.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "common/check.h"
#include "common/crypto/sha256.h"
#include "tests/soak/attacker.h"
#include "tests/soak/device_times.h"
#include "tests/soak/fleet.h"
#include "tests/support/daemon/daemon_process.h"
#include "tests/support/daemon/resource_count.h"

namespace acceld::soak {
namespace {

using testing::ResourceCount;
using Clock = std::chrono::steady_clock;

constexpr int kFloods = 3, kInteractives = 4, kSharded = 2;
constexpr double kWarmSeconds = 3;
constexpr double kMaxLatencyRatio = 5;
// The daemon gives back what it has had no use for twice in a minute.
constexpr std::chrono::seconds kPatience{150};
// What gRPC, the heap and above all the device's pool of freed blocks may keep for reuse. The
// address sanitizer keeps freed blocks itself, 256 MiB of them, and notes beside them.
#ifdef ACCELD_ADDRESS_SANITIZER
constexpr uint64_t kKeptBytes = uint64_t{1} << 30;
#else
constexpr uint64_t kKeptBytes = uint64_t{256} << 20;
#endif
// Devices may have got executables that were on others only, with their constants.
constexpr ResourceCount::Slack kSlack{
    .device_bytes = 64 << 10, .open_files = 2, .threads = 8, .resident_bytes = kKeptBytes};

struct Options {
  double seconds = 600;
  int clients = 64;
  int attackers = 0;
  bool check_latency = true;
};

void PrintLatency(const char* when, const RoleReport& report) {
  std::printf("interactive, %-12s p50 %8.0f us  p99 %8.0f us  max %8.0f us  (%zu questions)\n",
              when, Quantile(report.latencies_us, 0.5), Quantile(report.latencies_us, 0.99),
              Quantile(report.latencies_us, 1), report.latencies_us.size());
  std::printf("  a sleep ends late by       p50 %8.0f us  p99 %8.0f us  max %8.0f us\n",
              Quantile(report.lateness_us, 0.5), Quantile(report.lateness_us, 0.99),
              Quantile(report.lateness_us, 1));
}

class Soak {
 public:
  explicit Soak(Options options) : options_(options) {}

  absl::StatusOr<bool> Run() {
    ACCELD_ASSIGN_OR_RETURN(testing::Daemon daemon,
                            testing::StartDaemon(folder_.path(), DaemonFlags()));
    pid_ = daemon.process.pid();
    ACCELD_ASSIGN_OR_RETURN(admin_, client::Admin::Connect({.address = daemon.address}));
    Fleet warm(folder_.path() + "/warm-", daemon.address);
    Fleet idle(folder_.path() + "/idle-", daemon.address);
    Fleet load(folder_.path() + "/load-", daemon.address);
    for (const Role role : {Role::kMixed, Role::kFlood, Role::kInteractive, Role::kSharded}) {
      ACCELD_RETURN_IF_ERROR(warm.Start(role, 2, kWarmSeconds, worker_token_));
    }
    warm.Await(kWarmSeconds, [] {});
    ACCELD_ASSIGN_OR_RETURN(const ResourceCount before, CountWhenQuiet());
    std::printf("at first:   %s\n", before.ToString().c_str());

    const double idle_seconds = std::clamp(options_.seconds / 20, 2.0, 30.0);
    ACCELD_RETURN_IF_ERROR(
        idle.Start(Role::kInteractive, kInteractives, idle_seconds, worker_token_));
    idle.Await(idle_seconds, [] {});

    const int mixed = options_.clients - kInteractives - kFloods - kSharded - options_.attackers;
    ACCELD_RETURN_IF_ERROR(
        load.Start(Role::kInteractive, kInteractives, options_.seconds, worker_token_));
    ACCELD_RETURN_IF_ERROR(load.Start(Role::kFlood, kFloods, options_.seconds, worker_token_));
    ACCELD_RETURN_IF_ERROR(load.Start(Role::kSharded, kSharded, options_.seconds, worker_token_));
    ACCELD_RETURN_IF_ERROR(
        load.Start(Role::kMixed, std::max(0, mixed), options_.seconds, worker_token_));
    ACCELD_RETURN_IF_ERROR(
        load.Start(Role::kAttacker, options_.attackers, options_.seconds, attacker_token_));
    begin_ = Clock::now();
    load.Await(options_.seconds, [this] { Watch(); });
    if (options_.attackers > 0) ACCELD_RETURN_IF_ERROR(CleanUpBehindAttackers(daemon.address));

    size_t errors = 0;
    for (const Fleet* fleet : {&warm, &idle, &load}) {
      errors += fleet->errors().size();
      for (const std::string& error : fleet->errors()) std::printf("ERROR %s\n", error.c_str());
    }
    const std::string growth = GrowthSince(before);
    if (!growth.empty()) std::printf("LEFT %s\n", growth.c_str());
    const double ratio = PrintReport(idle, load, errors, before.resident_bytes);
    return errors == 0 && growth.empty() && (!options_.check_latency || ratio <= kMaxLatencyRatio);
  }

 private:
  // With attackers there are two identities: theirs, and that of the others.
  std::vector<std::string> DaemonFlags() {
    std::vector<std::string> flags = {"--cpu-devices", "4"};
    if (options_.attackers == 0) return flags;
    worker_token_ = "token-of-those-who-work";
    attacker_token_ = "token-of-those-who-attack";
    const std::string path = folder_.path() + "/tokens";
    std::ofstream(path) << "worker user sha256:" << ToHex(Sha256Of(worker_token_)) << "\n"
                        << "attacker user sha256:" << ToHex(Sha256Of(attacker_token_)) << "\n";
    // Compiled programs of those who flood are no growth; nor are what they have sent.
    flags.insert(flags.end(), {"--access-tokens", path, "--cache-memory-size", "64MiB",
                               "--max-kept-programs", "8MiB"});
    return flags;
  }

  // What is meant to outlive those who were killed: names, and compiled programs.
  absl::Status CleanUpBehindAttackers(const std::string& address) const {
    ACCELD_ASSIGN_OR_RETURN(
        const std::shared_ptr<client::Client> client,
        client::Client::Connect({.address = address, .credentials = {.token = attacker_token_}}));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<client::NamedArrayInfo> names, admin_->ListNames());
    for (const client::NamedArrayInfo& array : names) {
      if (array.owner == "token:attacker") (void)client->DropName(array.name);
    }
    return admin_->PurgeCache({}, /*remote=*/false).status();
  }

  // Once a second; says something every ten.
  void Watch() {
    max_resident_bytes_ = std::max(max_resident_bytes_, testing::ResidentBytes(pid_));
    if (++seconds_watched_ % 10 != 0) return;
    (void)times_.Sample(*admin_, 1);  // What the daemon cannot say now it may say next time.
    const absl::StatusOr<client::ServerStats> stats = admin_->GetStats();
    if (!stats.ok()) {
      std::printf("the daemon does not answer: %s\n", stats.status().ToString().c_str());
      return;
    }
    std::printf(
        "%5.0f s: %lu sessions, %lu arrays, %lu MiB in them, %lu executions, %lu MiB resident\n",
        std::chrono::duration<double>(Clock::now() - begin_).count(), stats->sessions,
        stats->arrays, stats->array_bytes >> 20, stats->executions,
        testing::ResidentBytes(pid_) >> 20);
    std::fflush(stdout);
  }

  absl::StatusOr<ResourceCount> CountWhenQuiet() {
    ResourceCount count;
    const auto deadline = Clock::now() + kPatience;
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      ACCELD_ASSIGN_OR_RETURN(count, ResourceCount::Of(*admin_, pid_));
    } while ((count.sessions > 0 || count.arrays > 0) && Clock::now() < deadline);
    return count;
  }

  // What is still held more of than at first after some patience.
  std::string GrowthSince(const ResourceCount& before) {
    const auto deadline = Clock::now() + kPatience;
    while (true) {
      const absl::StatusOr<ResourceCount> now = ResourceCount::Of(*admin_, pid_);
      if (!now.ok()) return now.status().ToString();
      std::string growth = now->GrowthSince(before, kSlack);
      if (growth.empty() || Clock::now() > deadline) {
        std::printf("at the end: %s\n", now->ToString().c_str());
        end_resident_bytes_ = now->resident_bytes;
        return growth;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
  }

  double PrintReport(const Fleet& idle, const Fleet& load, size_t errors, uint64_t first_bytes) {
    RoleReport all;
    for (const Role role : kRoles) {
      const RoleReport report = load.Collect(role);
      std::printf("%-12s %10lu operations %10lu MiB\n", RoleName(role), report.operations,
                  report.bytes >> 20);
      all.operations += report.operations;
      all.bytes += report.bytes;
    }
    std::printf("%-12s %10lu operations %10lu MiB, %zu errors\n", "all", all.operations,
                all.bytes >> 20, errors);
    const RoleReport alone = idle.Collect(Role::kInteractive);
    const RoleReport among = load.Collect(Role::kInteractive);
    PrintLatency("idle", alone);
    PrintLatency("under load", among);
    times_.Print();
    const double ratio =
        Quantile(among.latencies_us, 0.99) / std::max(1.0, Quantile(alone.latencies_us, 0.99));
    std::printf("p99 under load is %.1f times that when idle; %.0f are allowed%s\n", ratio,
                kMaxLatencyRatio, options_.check_latency ? "" : ", but not asked for");
    std::printf("resident: %lu MiB at first, %lu at most, %lu at the end\n", first_bytes >> 20,
                max_resident_bytes_ >> 20, end_resident_bytes_ >> 20);
    return ratio;
  }

  const Options options_;
  testing::TempDir folder_;
  std::string worker_token_, attacker_token_;
  pid_t pid_ = 0;
  std::unique_ptr<client::Admin> admin_;
  DeviceTimes times_;
  Clock::time_point begin_;
  int seconds_watched_ = 0;
  uint64_t max_resident_bytes_ = 0, end_resident_bytes_ = 0;
};

int Main(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments[0] == "worker") return WorkerMain(arguments);
  if (!arguments.empty() && arguments[0] == "attack") return AttackMain(arguments);
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--no-latency") {
      options.check_latency = false;
    } else if (arguments[i] == "--seconds" && i + 1 < arguments.size()) {
      options.seconds = std::atof(arguments[++i].c_str());
    } else if (arguments[i] == "--clients" && i + 1 < arguments.size()) {
      options.clients = std::atoi(arguments[++i].c_str());
    } else if (arguments[i] == "--attackers" && i + 1 < arguments.size()) {
      options.attackers = std::atoi(arguments[++i].c_str());
    } else {
      std::fprintf(stderr,
                   "usage: soak [--seconds N] [--clients N] [--attackers N] [--no-latency]\n");
      return 2;
    }
  }
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  setenv("ACCELD_BIN_DIR", self.parent_path().c_str(), /*overwrite=*/0);
  const absl::StatusOr<bool> passed = Soak(options).Run();
  if (!passed.ok()) std::printf("ERROR %s\n", passed.status().ToString().c_str());
  std::printf("%s\n", passed.ok() && *passed ? "PASSED" : "FAILED");
  return passed.ok() && *passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace acceld::soak

int main(int argc, char** argv) {
  return acceld::soak::Main(std::vector<std::string>(argv + 1, argv + argc));
}
