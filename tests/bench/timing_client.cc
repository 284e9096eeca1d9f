// Runs programs when it is told to, and says how long that took: vs_jax.py drives it, so that its
// repeats and those of JAX take turns.
//
//   timing_client --address ADDRESS [--device DEVICE]
//
// It prints one JSON object about the daemon, then reads a command a line from standard input and
// answers each with one JSON object a line; {"error": TEXT} for what fails, after which the next
// command is taken.
//
//   {"command": "load", "program": FILE, "arguments": [FILE.npy, ...]}
//       Uploads the arguments and compiles the program for them; replaces what was loaded.
//       -> {"compile_ns": until it was compiled, "verdict": how the cache found it}
//   {"command": "first", "program": FILE, "arguments": [FILE.npy, ...]}
//       Loads as above and calls once, without compiling before.
//       -> {"first_ns": from the program's bytes until all results are there,
//           "verdict": how the cache found it}
//   {"command": "compile", "program": FILE, "keep": BOOLEAN}
//       Compiles the program for the types that it declares; nothing is loaded. The daemon keeps
//       the program registered if `keep`.
//       -> {"read_ns": from the program's bytes until it is a verified program here,
//           "compile_ns": from then until the daemon has compiled it, "verdict": see above}
//   {"command": "submit", "program": FILE, "calls": N}
//       Compiles as above and calls N times, one call after another, on arguments of zeros.
//       -> {"submit_ns": until the call returned, "elapsed_ns": until all results were there; the
//           medians}
//   {"command": "run", "calls": N, "repeats": M}
//       M times: submits N calls and waits for the last one's results. Each call's results are the
//       next one's first arguments. Of the last of the M repeats:
//       -> {"elapsed_ns": from the first call until all results are there,
//           "device_ns": the last call, on the device}
//   {"command": "write", "folder": FOLDER}
//       Writes the last run's results to FOLDER/INDEX.npy.
//       -> {"results": their number}
//   {"command": "unload"}
//       Frees everything. -> {}

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/client.h"
#include "client/file.h"
#include "client/npy.h"
#include "nlohmann/json.hpp"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr absl::Duration kSettling = absl::Milliseconds(100);

int64_t NanosSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// One program at a time, with its arguments on the device.
class Timer {
 public:
  explicit Timer(std::shared_ptr<Client> client) : client_(std::move(client)) {}

  absl::StatusOr<Json> Obey(const Json& command) {
    const std::string name = command.at("command");
    if (name == "load") return Load(command.at("program"), command.at("arguments"));
    if (name == "first") return First(command.at("program"), command.at("arguments"));
    if (name == "compile") return Compile(command.at("program"), command.value("keep", false));
    if (name == "submit") return Submit(command.at("program"), command.at("calls"));
    if (name == "run") return Run(command.at("calls"), command.at("repeats"));
    if (name == "write") return Write(command.at("folder"));
    if (name == "unload") {
      Unload();
      return Json::object();
    }
    return absl::InvalidArgumentError(absl::StrCat("there is no command ", name));
  }

 private:
  absl::StatusOr<Json> Load(const std::string& file, const std::vector<std::string>& arguments) {
    ACCELD_RETURN_IF_ERROR(Upload(arguments));
    ACCELD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    ACCELD_ASSIGN_OR_RETURN(Program program, Program::FromBytes(bytes, file));
    std::vector<ir::TensorType> types;
    for (const Array& argument : arguments_) types.push_back(argument.type());
    const Clock::time_point start = Clock::now();
    const absl::StatusOr<ExecutionInfo> compiled = client_->Compile(program, types).Await();
    const int64_t compile_ns = NanosSince(start);
    ACCELD_RETURN_IF_ERROR(compiled.status());
    program_ = std::move(program);
    return Json{{"compile_ns", compile_ns}, {"verdict", CacheVerdictName(compiled->verdict)}};
  }

  absl::StatusOr<Json> First(const std::string& file, const std::vector<std::string>& arguments) {
    ACCELD_RETURN_IF_ERROR(Upload(arguments));
    ACCELD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    const Clock::time_point start = Clock::now();
    ACCELD_ASSIGN_OR_RETURN(program_, Program::FromBytes(bytes, file));
    ACCELD_ASSIGN_OR_RETURN(results_, client_->Execute(*program_, arguments_));
    ACCELD_RETURN_IF_ERROR(AwaitAll(results_));
    const int64_t first_ns = NanosSince(start);
    if (results_.empty()) return absl::InvalidArgumentError("the program gives no results");
    ACCELD_ASSIGN_OR_RETURN(const ExecutionInfo execution, results_.front().Execution());
    return Json{{"first_ns", first_ns}, {"verdict", CacheVerdictName(execution.verdict)}};
  }

  absl::StatusOr<Json> Compile(const std::string& file, bool keep) {
    ACCELD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    const Clock::time_point start = Clock::now();
    ACCELD_ASSIGN_OR_RETURN(Program program, Program::FromBytes(bytes, file));
    const int64_t read_ns = NanosSince(start);
    const auto& types = program.parameter_types();
    const absl::StatusOr<ExecutionInfo> compiled =
        client_->Compile(program, {types.begin(), types.end()}).Await();
    const int64_t whole_ns = NanosSince(start);
    ACCELD_RETURN_IF_ERROR(compiled.status());
    if (keep) kept_.push_back(std::move(program));
    return Json{{"read_ns", read_ns},
                {"compile_ns", whole_ns - read_ns},
                {"verdict", CacheVerdictName(compiled->verdict)}};
  }

  absl::StatusOr<Json> Submit(const std::string& file, int calls) {
    ACCELD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    ACCELD_ASSIGN_OR_RETURN(const Program program, Program::FromBytes(bytes, file));
    Unload();
    for (const ir::TensorType& type : program.parameter_types()) {
      ACCELD_ASSIGN_OR_RETURN(Array array, client_->Upload(ir::Literal::Zeros(type)));
      arguments_.push_back(std::move(array));
    }
    ACCELD_RETURN_IF_ERROR(AwaitAll(arguments_));
    std::vector<int64_t> submit_ns, elapsed_ns;
    for (int call = 0; call <= calls; ++call) {
      results_.clear();
      absl::SleepFor(kSettling);
      const Clock::time_point start = Clock::now();
      ACCELD_ASSIGN_OR_RETURN(results_, client_->Execute(program, arguments_));
      submit_ns.push_back(NanosSince(start));
      ACCELD_RETURN_IF_ERROR(AwaitAll(results_));
      elapsed_ns.push_back(NanosSince(start));
    }
    // The first call waited for the compiler.
    return Json{{"submit_ns", Median({submit_ns.begin() + 1, submit_ns.end()})},
                {"elapsed_ns", Median({elapsed_ns.begin() + 1, elapsed_ns.end()})}};
  }

  static int64_t Median(std::vector<int64_t> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  // Replaces what was loaded. Returns when what is timed next has the machine for itself: copies on
  // the way are freed by threads of their own after the arrays are there, gigabytes a second.
  absl::Status Upload(const std::vector<std::string>& files) {
    Unload();
    for (const std::string& path : files) {
      ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, ReadNpy(path));
      ACCELD_ASSIGN_OR_RETURN(Array array, client_->Upload(value));
      arguments_.push_back(std::move(array));
    }
    const absl::Status uploaded = AwaitAll(arguments_);
    absl::SleepFor(kSettling);
    return uploaded;
  }

  absl::StatusOr<Json> Run(int calls, int repeats) {
    if (!program_.has_value()) return absl::FailedPreconditionError("no program is loaded");
    if (calls > 1 && program_->result_types().size() > arguments_.size()) {
      return absl::InvalidArgumentError("more results than arguments that they could become");
    }
    int64_t elapsed_ns = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      ACCELD_ASSIGN_OR_RETURN(elapsed_ns, Repeat(calls));
    }
    Json answer = {{"elapsed_ns", elapsed_ns}};
    if (results_.empty()) return answer;
    ACCELD_ASSIGN_OR_RETURN(const ExecutionInfo execution, results_.front().Execution());
    answer["device_ns"] = static_cast<int64_t>(execution.execute_us * 1000);
    return answer;
  }

  // Nanoseconds.
  absl::StatusOr<int64_t> Repeat(int calls) {
    results_.clear();
    std::vector<Array> arguments = arguments_;
    const Clock::time_point start = Clock::now();
    for (int call = 0; call < calls; ++call) {
      for (size_t i = 0; i < results_.size(); ++i) arguments[i] = std::move(results_[i]);
      ACCELD_ASSIGN_OR_RETURN(results_, client_->Execute(*program_, arguments));
    }
    ACCELD_RETURN_IF_ERROR(AwaitAll(results_));
    return NanosSince(start);
  }

  absl::StatusOr<Json> Write(const std::string& folder) {
    for (size_t i = 0; i < results_.size(); ++i) {
      ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, results_[i].Fetch());
      ACCELD_RETURN_IF_ERROR(WriteNpy(absl::StrCat(folder, "/", i, ".npy"), value));
    }
    return Json{{"results", results_.size()}};
  }

  void Unload() {
    program_.reset();
    arguments_.clear();
    results_.clear();
  }

  const std::shared_ptr<Client> client_;
  std::optional<Program> program_;
  std::vector<Program> kept_;
  std::vector<Array> arguments_, results_;
};

void Answer(const absl::StatusOr<Json>& answer) {
  std::cout << (answer.ok() ? *answer : Json{{"error", answer.status().ToString()}}) << std::endl;
}

// A command that cannot be read is an error like others.
absl::StatusOr<Json> ReadAndObey(Timer& timer, const std::string& line) {
  try {
    return timer.Obey(Json::parse(line));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

int Serve(const ConnectOptions& options) {
  absl::StatusOr<std::shared_ptr<Client>> client = Client::Connect(options);
  if (!client.ok()) {
    Answer(client.status());
    return EXIT_FAILURE;
  }
  const DeviceInfo& device = (*client)->devices().at((*client)->device());
  Answer(Json{{"version", (*client)->daemon_version()},
              {"device", device.name},
              {"kind", device.kind},
              {"memory_bytes", device.memory_limit_bytes}});
  Timer timer(*std::move(client));
  for (std::string line; std::getline(std::cin, line);) Answer(ReadAndObey(timer, line));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace acceld::client

int main(int argc, char** argv) {
  CLI::App app("Runs programs when it is told to, and says how long that took.", "timing_client");
  acceld::client::ConnectOptions options;
  options.connect_timeout = std::chrono::seconds(20);
  options.wait_for_daemon = true;
  app.add_option("--address", options.address, "the daemon's address; default: $ACCELD_ADDRESS");
  app.add_option("--device", options.device,
                 "cuda:0, say; default: $ACCELD_DEVICE, else the first");
  CLI11_PARSE(app, argc, argv);
  return acceld::client::Serve(options);
}
