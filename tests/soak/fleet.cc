#include "tests/soak/fleet.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::soak {
namespace {

using Clock = std::chrono::steady_clock;

// Beyond its time a worker finishes what it waits for.
constexpr std::chrono::seconds kPatience{60};

}  // namespace

double Quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1))];
}

absl::Status Fleet::Start(Role role, int count, double seconds, const std::string& token) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (int i = 0; i < count; ++i) {
    const uint32_t seed = next_seed_++;
    const std::string log_path = absl::StrCat(log_prefix_, seed, ".log");
    ACCELD_ASSIGN_OR_RETURN(
        testing::Process process,
        testing::Process::Start({self, "worker", RoleName(role), address_, absl::StrCat(seed),
                                 absl::StrCat(seconds), token},
                                log_path));
    running_.push_back({role, std::move(process), log_path, {}});
  }
  return absl::OkStatus();
}

void Fleet::Await(double seconds, const std::function<void()>& every_second) {
  const auto give_up =
      Clock::now() + kPatience +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (!running_.empty()) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    every_second();
    for (auto member = running_.begin(); member != running_.end();) {
      const bool hangs = Clock::now() > give_up;
      if (hangs) member->process.Signal(SIGKILL);
      if (!hangs && !member->process.HasEnded()) {
        ++member;
        continue;
      }
      Take(*member);
      member = running_.erase(member);
    }
  }
}

void Fleet::Take(Member& member) {
  const int exit_code = member.process.Wait();
  const std::string text = testing::ReadText(member.log_path);
  absl::StatusOr<WorkerReport> report = FromText(text);
  if (exit_code == 0 && report.ok()) {
    member.report = *std::move(report);
    ended_.push_back(std::move(member));
    return;
  }
  errors_.push_back(
      absl::StrCat(RoleName(member.role), ", exit code ", exit_code, ": ", text.substr(0, 1000)));
}

RoleReport Fleet::Collect(Role role) const {
  RoleReport all;
  for (const Member& member : ended_) {
    if (member.role != role) continue;
    all.operations += member.report.operations;
    all.bytes += member.report.bytes;
    all.latencies_us.insert(all.latencies_us.end(), member.report.latencies_us.begin(),
                            member.report.latencies_us.end());
    all.lateness_us.insert(all.lateness_us.end(), member.report.lateness_us.begin(),
                           member.report.lateness_us.end());
  }
  std::sort(all.latencies_us.begin(), all.latencies_us.end());
  std::sort(all.lateness_us.begin(), all.lateness_us.end());
  return all;
}

int WorkerMain(const std::vector<std::string>& arguments) {
  if (arguments.size() != 6) return EXIT_FAILURE;
  const absl::StatusOr<Role> role = ParseRole(arguments[1]);
  const absl::StatusOr<WorkerReport> report =
      role.ok() ? RunWorker({.role = *role,
                             .address = arguments[2],
                             .seed = static_cast<uint32_t>(std::atoi(arguments[3].c_str())),
                             .seconds = std::atof(arguments[4].c_str()),
                             .token = arguments[5]})
                : role.status();
  if (!report.ok()) {
    std::cerr << report.status() << std::endl;
    return EXIT_FAILURE;
  }
  std::cout << ToText(*report);
  return EXIT_SUCCESS;
}

}  // namespace acceld::soak
