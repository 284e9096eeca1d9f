// How long it takes to submit, against how long it takes to finish: a chain of dependent
// executions of a small program against a daemon in another process.
//
//   submit_bench [EXECUTIONS]     the daemon at $ACCELD_ADDRESS, or the default one

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "client/tracing.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;

double Micros(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

absl::Status Run(int executions) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Client::Connect());
  Function next(client, [](const Tensor& x) { return x + 1; });
  const auto zeros = ir::Literal::Zeros({ir::DType::kF32, {64}});
  ACCELD_ASSIGN_OR_RETURN(Array y, client->Upload(zeros));
  ACCELD_ASSIGN_OR_RETURN(const Array warm, next(y));
  ACCELD_RETURN_IF_ERROR(warm.Await());

  std::vector<double> submit_us(executions);
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  for (double& us : submit_us) {
    ACCELD_ASSIGN_OR_RETURN(y, next(y));
    const Clock::time_point after = Clock::now();
    us = Micros(after - before);
    before = after;
  }
  const double submitted_ms = Micros(before - start) / 1000;
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, y.Fetch());
  const double finished_ms = Micros(Clock::now() - start) / 1000;
  if (value != ir::Literal::Filled(value.type(), executions)) {
    return absl::InternalError("the chain's result is wrong");
  }
  std::sort(submit_us.begin(), submit_us.end());
  std::printf("%d dependent executions\n", executions);
  std::printf("submit   median %.2f us, p99 %.2f us, all %.1f ms\n", submit_us[executions / 2],
              submit_us[executions * 99LL / 100], submitted_ms);
  std::printf("finish   %.1f ms, %.2f us each\n", finished_ms, finished_ms * 1000 / executions);
  std::printf("ratio    %.1f\n", finished_ms / submitted_ms);
  return absl::OkStatus();
}

}  // namespace
}  // namespace acceld::client

int main(int argc, char** argv) {
  const int executions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 10000;
  const absl::Status status = acceld::client::Run(executions);
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "submit_bench: %s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}
