#include "client/tools/accelctl/run.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/file.h"
#include "client/npy.h"
#include "client/tools/accelctl/argument.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using Clock = std::chrono::steady_clock;

double MicrosSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// What one `accelctl run` measured. Times are wall clock on the client.
struct Report {
  std::string program, fingerprint;
  std::vector<client::ExecutionInfo> executions;  // one per repeat
  std::vector<double> submit_us;                  // until Execute returned
  std::vector<double> wait_us;                    // from there until the results were ready
  double upload_ms = 0, fetch_ms = 0;
  struct Output {
    ir::TensorType type;
    std::string file;  // empty: not written
  };
  std::vector<Output> outputs;
};

std::string SignatureOf(const client::Program& program) {
  const auto types = [](absl::Span<const ir::TensorType> list) {
    return absl::StrJoin(list, ", ", [](std::string* out, const ir::TensorType& type) {
      absl::StrAppend(out, type.ToString());
    });
  };
  return absl::StrCat("(", types(program.parameter_types()), ") -> (",
                      types(program.result_types()), ")");
}

absl::StatusOr<client::Program> LoadProgram(const RunFlags& flags) {
  std::string bytes;
  if (flags.program == "-") {
    bytes.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    ACCELD_ASSIGN_OR_RETURN(bytes, client::ReadFile(flags.program));
  }
  return client::Program::FromBytes(bytes, flags.program == "-" ? "<stdin>" : flags.program,
                                    flags.entry);
}

absl::StatusOr<std::vector<client::Array>> UploadArguments(client::Client& client,
                                                           const RunFlags& flags,
                                                           const client::Program& program,
                                                           Report& report) {
  if (flags.arguments.size() != program.parameter_types().size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", flags.entry, "' takes ", program.parameter_types().size(), " arguments and ",
        flags.arguments.size(), " were given with --arg; its signature is ", SignatureOf(program)));
  }
  std::vector<ir::Literal> values;
  for (size_t i = 0; i < flags.arguments.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(ir::Literal value,
                            ParseArgument(flags.arguments[i], static_cast<uint32_t>(i)));
    values.push_back(std::move(value));
  }
  const Clock::time_point start = Clock::now();
  std::vector<client::Array> arrays;
  for (const ir::Literal& value : values) {
    ACCELD_ASSIGN_OR_RETURN(client::Array array, client.Upload(value, flags.device));
    arrays.push_back(std::move(array));
  }
  ACCELD_RETURN_IF_ERROR(client::AwaitAll(arrays));
  report.upload_ms = MicrosSince(start) / 1000;
  return arrays;
}

absl::Status FetchResults(absl::Span<const client::Array> results, const RunFlags& flags,
                          Report& report) {
  const Clock::time_point start = Clock::now();
  std::vector<ir::Literal> values;
  for (const client::Array& result : results) {
    report.outputs.push_back({result.type(), ""});
    if (flags.out_dir.empty()) continue;
    ACCELD_ASSIGN_OR_RETURN(ir::Literal value, result.Fetch());
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
            << absl::StreamFormat("  cache    %s, %.1f ms to get the executable\n",
                                  client::CacheVerdictName(first.verdict), first.compile_ms)
            << absl::StreamFormat("  upload   %.2f ms\n", report.upload_ms);
  for (size_t i = 0; i < report.submit_us.size(); ++i) {
    if (i == 5 && report.submit_us.size() > 6) {
      std::cout << "  ...\n";
      i = report.submit_us.size() - 1;
    }
    std::cout << absl::StreamFormat(
        "  run %-4d submitted in %.1f us, ready after %.1f us more, %.1f us on the device\n", i + 1,
        report.submit_us[i], report.wait_us[i], report.executions[i].execute_us);
  }
  if (report.outputs.empty() || !report.outputs.front().file.empty()) {
    std::cout << absl::StreamFormat("  fetch    %.2f ms\n", report.fetch_ms);
  }
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    const Report::Output& output = report.outputs[i];
    std::cout << absl::StreamFormat("  result %d %s%s\n", i, output.type.ToString(),
                                    output.file.empty() ? "" : "  -> " + output.file);
  }
}

}  // namespace

absl::Status Run(client::Client& client, const RunFlags& flags) {
  Report report;
  report.program = flags.program;
  ACCELD_ASSIGN_OR_RETURN(const client::Program program, LoadProgram(flags));
  report.fingerprint = program.fingerprint().ToHex();
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::Array> arguments,
                          UploadArguments(client, flags, program, report));
  std::vector<client::Array> results;
  for (int i = 0; i < flags.repeat; ++i) {
    const Clock::time_point start = Clock::now();
    ACCELD_ASSIGN_OR_RETURN(results, client.Execute(program, arguments, flags.device));
    report.submit_us.push_back(MicrosSince(start));
    const Clock::time_point submitted = Clock::now();
    ACCELD_RETURN_IF_ERROR(client::AwaitAll(results));
    report.wait_us.push_back(MicrosSince(submitted));
    client::ExecutionInfo execution;
    if (!results.empty()) {
      ACCELD_ASSIGN_OR_RETURN(execution, results.front().Execution());
    }
    report.executions.push_back(execution);
  }
  ACCELD_RETURN_IF_ERROR(FetchResults(results, flags, report));
  if (flags.json) {
    PrintJson(report);
  } else {
    PrintText(report);
  }
  return absl::OkStatus();
}

}  // namespace acceld::tools
