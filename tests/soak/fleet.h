#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/soak/worker.h"
#include "tests/support/daemon/process.h"

namespace acceld::soak {

// What the workers of one role have done together.
struct RoleReport {
  uint64_t operations = 0, bytes = 0;
  std::vector<double> latencies_us, lateness_us;  // sorted
};
// Of sorted values; 0 when there are none.
double Quantile(const std::vector<double>& sorted, double q);

// Processes of this very program, one for each worker. One thread.
class Fleet {
 public:
  // What they write goes to files whose names begin with `log_prefix`.
  Fleet(std::string log_prefix, std::string address)
      : log_prefix_(std::move(log_prefix)), address_(std::move(address)) {}

  // Workers that show this token, unless it is empty.
  absl::Status Start(Role role, int count, double seconds, const std::string& token = "");
  // Blocks until all have ended, a while beyond `seconds` at most; calls `every_second` meanwhile.
  void Await(double seconds, const std::function<void()>& every_second);
  // Adds up the reports of a role, of workers that went well.
  RoleReport Collect(Role role) const;
  // One for each worker that failed, hung or left no report.
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  struct Member {
    Role role;
    testing::Process process;
    std::string log_path;
    WorkerReport report;
  };
  void Take(Member& member);

  const std::string log_prefix_, address_;
  std::vector<Member> running_, ended_;
  std::vector<std::string> errors_;
  uint32_t next_seed_ = 1;
};

// The main function of a worker's process: "worker ROLE ADDRESS SEED SECONDS TOKEN". The exit code.
int WorkerMain(const std::vector<std::string>& arguments);

}  // namespace acceld::soak
