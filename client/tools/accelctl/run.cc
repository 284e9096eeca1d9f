#include "client/tools/accelctl/run.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/npy.h"
#include "client/tools/accelctl/program_arguments.h"
#include "client/tools/accelctl/termination_signals.h"
#include "client/tools/accelctl/views/format.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using Clock = std::chrono::steady_clock;

double MicrosSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The measurements of one `accelctl run`. Times are wall-clock times of the client.
struct Report {
  std::string program, fingerprint;
  ir::Cost cost;                                  // Of one run.
  std::vector<client::ExecutionInfo> executions;  // One for each repetition.
  std::vector<double> submit_us;                  // Until Execute returned.
  std::vector<double> wait_us;                    // From then until the results were ready.
  double upload_ms = 0, fetch_ms = 0;
  struct Output {
    ir::TensorType type;
    std::string file;  // Empty: not written.
  };
  std::vector<Output> outputs;
};

// Waits for futures until a signal arrives that should end the program. Construct it before any
// other thread starts.
class InterruptibleWait {
 public:
  // Returns the future's value, or CANCELLED if a signal has arrived.
  template <typename T>
  absl::StatusOr<T> Await(const Future<T>& future) {
    while (signal_ == 0) {
      if (const auto* value = future.AwaitUntil(Clock::now() + kSignalPollInterval)) return *value;
      signal_ = signals_.WaitForSignal(std::chrono::nanoseconds(0));
    }
    return absl::CancelledError("interrupted");
  }
  absl::Status AwaitAll(absl::Span<const client::Array> arrays) {
    // Requests the state of all arrays before waiting for the first one.
    std::vector<Future<client::ExecutionInfo>> ready;
    for (const client::Array& array : arrays) ready.push_back(array.Ready());
    for (const auto& one : ready) ACCELD_RETURN_IF_ERROR(Await(one).status());
    return absl::OkStatus();
  }
  int signal() const { return signal_; }

 private:
  static constexpr std::chrono::milliseconds kSignalPollInterval{50};

  TerminationSignals signals_;
  int signal_ = 0;
};

absl::StatusOr<std::vector<client::Array>> UploadArguments(client::Client& client,
                                                           const std::vector<ir::Literal>& values,
                                                           InterruptibleWait& patience,
                                                           Report& report) {
  const Clock::time_point start = Clock::now();
  std::vector<client::Array> arrays;
  for (const ir::Literal& value : values) {
    ACCELD_ASSIGN_OR_RETURN(client::Array array, client.Upload(value));
    arrays.push_back(std::move(array));
  }
  ACCELD_RETURN_IF_ERROR(patience.AwaitAll(arrays));
  report.upload_ms = MicrosSince(start) / 1000;
  return arrays;
}

absl::Status FetchResults(absl::Span<const client::Array> results, const RunFlags& flags,
                          InterruptibleWait& patience, Report& report) {
  const Clock::time_point start = Clock::now();
  std::vector<ir::Literal> values;
  for (const client::Array& result : results) {
    report.outputs.push_back({result.type(), ""});
    if (flags.out_dir.empty()) continue;
    ACCELD_ASSIGN_OR_RETURN(ir::Literal value, patience.Await(result.FetchAsync()));
    values.push_back(std::move(value));
  }
  report.fetch_ms = MicrosSince(start) / 1000;

  if (flags.out_dir.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(flags.out_dir, error);
  if (error)
    return absl::UnavailableError(
        absl::StrCat("cannot create ", flags.out_dir, ": ", error.message()));
  for (size_t i = 0; i < values.size(); ++i) {
    report.outputs[i].file = absl::StrCat(flags.out_dir, "/", i, ".npy");
    ACCELD_RETURN_IF_ERROR(client::WriteNpy(report.outputs[i].file, values[i]));
  }
  return absl::OkStatus();
}

void PrintJson(const Report& report) {
  nlohmann::ordered_json json;
  json["program"] = report.program;
  json["fingerprint"] = report.fingerprint;
  const client::ExecutionInfo& first = report.executions.front();
  json["cache_key"] = first.cache_key;
  json["cache_verdict"] = std::string(client::CacheVerdictName(first.verdict));
  json["compile_ms"] = first.compile_ms;
  json["cost"] = {{"flops", report.cost.flops},
                  {"transcendentals", report.cost.transcendentals},
                  {"bytes_accessed", report.cost.bytes_accessed}};
  json["upload_ms"] = report.upload_ms;
  json["submit_us"] = report.submit_us;
  json["wait_us"] = report.wait_us;
  json["execute_us"] = nlohmann::ordered_json::array();
  json["cache_verdicts"] = nlohmann::ordered_json::array();
  for (const client::ExecutionInfo& execution : report.executions) {
    json["execute_us"].push_back(execution.execute_us);
    json["cache_verdicts"].push_back(std::string(client::CacheVerdictName(execution.verdict)));
  }
  json["fetch_ms"] = report.fetch_ms;
  json["outputs"] = nlohmann::ordered_json::array();
  for (const Report::Output& output : report.outputs) {
    nlohmann::ordered_json entry;
    entry["dtype"] = std::string(ir::DTypeName(output.type.dtype));
    entry["shape"] = std::vector<int64_t>(output.type.dims.begin(), output.type.dims.end());
    entry["file"] =
        output.file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(output.file);
    json["outputs"].push_back(entry);
  }
  std::cout << json.dump(2) << std::endl;
}

void PrintText(const Report& report) {
  const client::ExecutionInfo& first = report.executions.front();
  std::cout << absl::StreamFormat("%s  %s\n", report.program, report.fingerprint)
            << absl::StreamFormat("  cache    %s, %s to get the executable\n",
                                  client::CacheVerdictName(first.verdict),
                                  TimeText(first.compile_ms / 1e3))
            << absl::StreamFormat(
                   "  cost     %.4g flops, %.4g transcendentals, %s read and written\n",
                   report.cost.flops, report.cost.transcendentals,
                   SizeText(static_cast<uint64_t>(report.cost.bytes_accessed)))
            << "  upload   " << TimeText(report.upload_ms / 1e3) << "\n";
  for (size_t i = 0; i < report.submit_us.size(); ++i) {
    if (i == 5 && report.submit_us.size() > 6) {
      std::cout << "  ...\n";
      i = report.submit_us.size() - 1;
    }
    std::cout << absl::StreamFormat(
        "  run %-4d submitted in %s, ready %s later, %s on the device\n", i + 1,
        TimeText(report.submit_us[i] / 1e6), TimeText(report.wait_us[i] / 1e6),
        TimeText(report.executions[i].execute_us / 1e6));
  }
  if (report.outputs.empty() || !report.outputs.front().file.empty()) {
    std::cout << "  fetch    " << TimeText(report.fetch_ms / 1e3) << "\n";
  }
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    const Report::Output& output = report.outputs[i];
    std::cout << absl::StreamFormat("  result %d %s%s\n", i, output.type.ToString(),
                                    output.file.empty() ? "" : "  -> " + output.file);
  }
}

absl::Status RunOn(client::Client& client, const client::Program& program,
                   const std::vector<ir::Literal>& values, const RunFlags& flags,
                   InterruptibleWait& patience, Report& report) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::Array> arguments,
                          UploadArguments(client, values, patience, report));
  client::ExecuteOptions options;
  if (flags.timeout_s > 0) {
    options.timeout = std::chrono::ceil<std::chrono::milliseconds>(
        std::chrono::duration<double>(flags.timeout_s));
  }
  std::vector<client::Array> results;
  for (int i = 0; i < flags.repeat; ++i) {
    // The arguments are not needed after the last run.
    if (i + 1 == flags.repeat) options.donated = program.DonatedArguments();
    const Clock::time_point start = Clock::now();
    ACCELD_ASSIGN_OR_RETURN(results, client.Execute(program, arguments, {}, options));
    report.submit_us.push_back(MicrosSince(start));
    const Clock::time_point submitted = Clock::now();
    ACCELD_RETURN_IF_ERROR(patience.AwaitAll(results));
    report.wait_us.push_back(MicrosSince(submitted));
    client::ExecutionInfo execution;
    if (!results.empty()) {
      ACCELD_ASSIGN_OR_RETURN(execution, patience.Await(results.front().Ready()));
    }
    report.executions.push_back(execution);
  }
  return FetchResults(results, flags, patience, report);
}

}  // namespace

absl::StatusOr<int> Run(const ConnectionFlags& connection_flags, const RunFlags& flags) {
  Report report;
  report.program = flags.program;
  ACCELD_ASSIGN_OR_RETURN(const client::Program program, LoadProgram(flags.program, flags.entry));
  if (!program.host_callbacks().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program calls host callback ", program.host_callbacks().front(),
                     " of its client while it runs, and accelctl has none"));
  }
  report.fingerprint = program.fingerprint().ToHex();
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::Literal> values,
                          ParseArguments(flags.arguments, program));
  std::vector<ir::TensorType> types;
  types.reserve(values.size());
  for (const ir::Literal& value : values) types.push_back(value.type());
  ACCELD_ASSIGN_OR_RETURN(report.cost, program.CostFor(types));
  InterruptibleWait patience;
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                          Connection::OpenClient(connection_flags));
  const absl::Status status = RunOn(connection->client(), program, values, flags, patience, report);
  if (patience.signal() != 0) {
    // Ending the session cancels its work.
    std::cerr << "accelctl: interrupted\n";
    return 128 + patience.signal();
  }
  ACCELD_RETURN_IF_ERROR(status);
  if (flags.json) {
    PrintJson(report);
  } else {
    PrintText(report);
  }
  return 0;
}

}  // namespace acceld::tools
