// Shows in one short table what the daemon is for. Every figure is measured by this run.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/client.h"
#include "client/tracing.h"
#include "common/status.h"

namespace acceld::examples {
namespace {

using client::Array;
using client::Function;
using client::Tensor;
using Clock = std::chrono::steady_clock;

constexpr int64_t kElements = 1'000'000;
constexpr int kRepeats = 30;
constexpr int kChain = 1000;

double MillisSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void Row(absl::string_view what, absl::string_view figure) {
  std::cout << absl::StreamFormat("  %-58s %s\n", what, figure) << std::flush;
}

// The SELU activation: a chain of elementwise ops that can be computed in one pass over memory.
Tensor Selu(const Tensor& x) { return 1.0507 * Where(x > 0.0, x, 1.6733 * (Exp(x) - 1.0)); }

absl::StatusOr<Array> Input(client::Client& client, int64_t elements) {
  std::vector<float> values(elements);
  for (int64_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i % 2001 - 1000) / 250;
  return client.Upload(ir::Literal::FromValues<float>({ir::DType::kF32, {elements}}, values));
}

struct Timed {
  double ms;
  client::ExecutionInfo execution;
};

absl::StatusOr<Timed> TimeCall(const auto& function, const Array& x) {
  const Clock::time_point start = Clock::now();
  ACCELD_ASSIGN_OR_RETURN(const Array y, function(x));
  ACCELD_RETURN_IF_ERROR(y.Await());
  Timed timed{MillisSince(start), {}};
  ACCELD_ASSIGN_OR_RETURN(timed.execution, y.Execution());
  return timed;
}

std::string Describe(const Timed& timed) {
  return absl::StrFormat("%8.2f ms  (cache: %s)", timed.ms,
                         client::CacheVerdictName(timed.execution.verdict));
}

absl::Status ShowAsynchrony(const std::shared_ptr<client::Client>& client) {
  const Function step(client, [](const Tensor& x) { return Tanh(x * 1.01) + 0.001; }, "step");
  ACCELD_ASSIGN_OR_RETURN(Array y, Input(*client, 1000));
  ACCELD_RETURN_IF_ERROR(TimeCall(step, y).status());  // compiled before the clock starts
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kChain; ++i) {
    ACCELD_ASSIGN_OR_RETURN(y, step(y));
  }
  const double submitted_ms = MillisSince(start);
  ACCELD_RETURN_IF_ERROR(y.Await());
  const double finished_ms = MillisSince(start);
  Row(absl::StrCat("submit ", kChain, " steps y = f(y), without waiting"),
      absl::StrFormat("%8.2f ms", submitted_ms));
  Row("... until the last result is there", absl::StrFormat("%8.2f ms", finished_ms));
  return absl::OkStatus();
}

absl::Status ShowCache(const std::shared_ptr<client::Client>& client, const std::string& address) {
  const Function selu(client, Selu, "selu");
  ACCELD_ASSIGN_OR_RETURN(const Array x, Input(*client, kElements));
  ACCELD_RETURN_IF_ERROR(x.Await());
  ACCELD_ASSIGN_OR_RETURN(const Timed first, TimeCall(selu, x));
  Row("SELU of 1,000,000 floats, first call", Describe(first));
  std::vector<double> later;
  Timed last{};
  for (int i = 0; i < kRepeats; ++i) {
    ACCELD_ASSIGN_OR_RETURN(last, TimeCall(selu, x));
    later.push_back(last.ms);
  }
  last.ms = Median(later);
  Row(absl::StrCat("... later calls, median of ", kRepeats), Describe(last));

  // Runs the same program in another process, with this executable.
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "tour", "--other-process", "--address", address.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
    return absl::InternalError("the second process failed");
  }

  ACCELD_ASSIGN_OR_RETURN(const Array longer, Input(*client, kElements + 1));
  ACCELD_RETURN_IF_ERROR(longer.Await());
  ACCELD_ASSIGN_OR_RETURN(const Timed new_shape, TimeCall(selu, longer));
  Row("... a new shape (1,000,001 floats), first call", Describe(new_shape));
  ACCELD_ASSIGN_OR_RETURN(const Timed known_shape, TimeCall(selu, longer));
  Row("... the new shape again", Describe(known_shape));
  return absl::OkStatus();
}

// The code of the second process.
absl::Status ShowOtherProcess(const std::shared_ptr<client::Client>& client) {
  const Function selu(client, Selu, "selu");
  ACCELD_ASSIGN_OR_RETURN(const Array x, Input(*client, kElements));
  ACCELD_RETURN_IF_ERROR(x.Await());
  ACCELD_ASSIGN_OR_RETURN(const Timed timed, TimeCall(selu, x));
  Row("... first call in another process", Describe(timed));
  return absl::OkStatus();
}

absl::Status ShowFusion(const std::shared_ptr<client::Client>& client) {
  const Function fused(client, Selu, "selu");
  // The same arithmetic, one program per op: every step reads and writes memory and is dispatched
  // alone.
  const Function positive(client, [](const Tensor& x) { return x > 0.0; }, "positive");
  const Function exp(client, [](const Tensor& x) { return Exp(x); }, "exp");
  const Function minus_one(client, [](const Tensor& x) { return x - 1.0; }, "minus_one");
  const Function alpha(client, [](const Tensor& x) { return 1.6733 * x; }, "alpha");
  const Function where(
      client, [](const Tensor& c, const Tensor& a, const Tensor& b) { return Where(c, a, b); },
      "where");
  const Function scale(client, [](const Tensor& x) { return 1.0507 * x; }, "scale");
  const auto op_by_op = [&](const Array& x) -> absl::StatusOr<Array> {
    ACCELD_ASSIGN_OR_RETURN(const Array condition, positive(x));
    ACCELD_ASSIGN_OR_RETURN(Array y, exp(x));
    ACCELD_ASSIGN_OR_RETURN(y, minus_one(y));
    ACCELD_ASSIGN_OR_RETURN(y, alpha(y));
    ACCELD_ASSIGN_OR_RETURN(y, where(condition, x, y));
    return scale(y);
  };

  ACCELD_ASSIGN_OR_RETURN(const Array x, Input(*client, kElements));
  ACCELD_RETURN_IF_ERROR(x.Await());
  std::vector<double> fused_ms, single_ms;
  for (int i = 0; i <= kRepeats; ++i) {  // interleaved; the first round warms up
    ACCELD_ASSIGN_OR_RETURN(const Timed whole, TimeCall(fused, x));
    const Clock::time_point start = Clock::now();
    ACCELD_ASSIGN_OR_RETURN(const Array y, op_by_op(x));
    ACCELD_RETURN_IF_ERROR(y.Await());
    if (i == 0) continue;
    single_ms.push_back(MillisSince(start));
    fused_ms.push_back(whole.ms);
  }
  Row("SELU as one program, median", absl::StrFormat("%8.2f ms", Median(fused_ms)));
  Row("SELU op by op (6 programs), median",
      absl::StrFormat("%8.2f ms  (%.1f times as long)", Median(single_ms),
                      Median(single_ms) / Median(fused_ms)));
  return absl::OkStatus();
}

absl::Status Show(const std::string& address, bool other_process) {
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<client::Client> client,
                          client::Client::Connect({.address = address}));
  if (other_process) return ShowOtherProcess(client);
  std::cout << absl::StreamFormat("on %s, through %s\n", client->devices().front().name,
                                  client->address())
            << std::flush;
  ACCELD_RETURN_IF_ERROR(ShowAsynchrony(client));
  ACCELD_RETURN_IF_ERROR(ShowCache(client, client->address()));
  return ShowFusion(client);
}

int Main(int argc, char** argv) {
  std::string address;
  bool other_process = false;
  CLI::App app{"Measures, on a running acceld, what a daemon for accelerators gives."};
  app.add_option("--address", address,
                 "the daemon or daemons, as accelctl has it (default: the usual socket)");
  app.add_flag("--other-process", other_process,
               "only the row of the second process (used by the program itself)");
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Show(address, other_process); !status.ok()) {
    std::cerr << "tour: " << status.message() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace acceld::examples

int main(int argc, char** argv) { return acceld::examples::Main(argc, argv); }
