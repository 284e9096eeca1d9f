#include "client/tools/accelctl/check.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/file.h"
#include "common/ir/conformance/check_overrides.h"
#include "common/ir/conformance/conformance.h"
#include "common/ir/conformance/program_file.h"
#include "common/ir/program.h"
#include "common/threads/mutex.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

enum class Verdict { kPassed, kFailed, kSkipped };

struct Outcome {
  Verdict verdict;
  std::string reason;  // Empty if passed.
  // Why the interpreter ran processes that the daemon should have run; empty if it ran none.
  std::string interpreted;
};

// What a run of a program gave.
struct Ran {
  std::vector<ir::Literal> results;  // Of main, then of what the program runs as processes.
  std::string interpreted;           // See Outcome.
};
// Runs the program's main on its inputs, and what it runs as several processes.
using Runner = std::function<absl::StatusOr<Ran>(const ir::ConformanceProgram&)>;

absl::StatusOr<Ran> Interpret(const ir::ConformanceProgram& conformance) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<ir::Literal> results,
                          ir::InterpretConformanceProgram(conformance));
  return Ran{std::move(results), ""};
}

absl::StatusOr<std::vector<client::Array>> Upload(client::Client& client,
                                                  const std::vector<ir::Literal>& literals,
                                                  client::Client::Device device = {}) {
  std::vector<client::Array> arrays;
  for (const ir::Literal& literal : literals) {
    ACCELD_ASSIGN_OR_RETURN(client::Array array, client.Upload(literal, device));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

absl::Status FetchAll(const std::vector<client::Array>& arrays, std::vector<ir::Literal>& to) {
  for (const client::Array& array : arrays) {
    ACCELD_ASSIGN_OR_RETURN(ir::Literal literal, array.Fetch());
    to.push_back(std::move(literal));
  }
  return absl::OkStatus();
}

absl::Status RunMainOnDaemon(client::Client& client, const ir::ConformanceProgram& conformance,
                             std::vector<ir::Literal>& results) {
  ACCELD_ASSIGN_OR_RETURN(const client::Program program,
                          client::Program::FromModule(conformance.program));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::Array> arguments,
                          Upload(client, conformance.inputs));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::Array> arrays,
                          client.Execute(program, arguments));
  return FetchAll(arrays, results);
}

// Where the processes of a run run on the daemon.
struct Placement {
  std::vector<uint32_t> devices;  // By process.
  std::string refusal;            // Why the daemon cannot run the processes; empty if it can.
};

// Places the processes on devices of one kind.
Placement Place(const client::Client& client, const ir::ParallelRun& run) {
  const std::string& entry = run.calls[0].entry;
  for (const ir::ProcessCall& call : run.calls) {
    if (call.entry == entry) continue;
    return {{}, absl::StrCat("they run different functions, @", entry, " and @", call.entry)};
  }
  std::map<std::string, std::vector<uint32_t>> by_kind;
  size_t most = 0;
  for (const DeviceInfo& device : client.devices()) {
    std::vector<uint32_t>& devices = by_kind[device.kind];
    devices.push_back(device.id);
    if (devices.size() == run.calls.size()) return {devices, ""};
    most = std::max(most, devices.size());
  }
  return {{},
          absl::StrCat("the daemon has ", most, " devices of a kind, ", run.calls.size(),
                       " are needed")};
}

absl::Status RunProcessesOnDaemon(client::Client& client, const ir::ParallelRun& run,
                                  const std::vector<uint32_t>& devices,
                                  std::vector<ir::Literal>& results) {
  ACCELD_ASSIGN_OR_RETURN(const client::Program program,
                          client::Program::FromModule(run.program, run.calls[0].entry));
  std::vector<std::vector<client::Array>> arguments;
  for (size_t i = 0; i < devices.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(std::vector<client::Array> of_process,
                            Upload(client, run.calls[i].arguments, devices[i]));
    arguments.push_back(std::move(of_process));
  }
  if (devices.size() == 1) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<client::Array> arrays,
                            client.Execute(program, arguments[0], devices[0]));
    return FetchAll(arrays, results);
  }
  ACCELD_ASSIGN_OR_RETURN(const auto by_process,
                          client.ExecuteSharded(program, arguments, devices));
  for (const std::vector<client::Array>& arrays : by_process) {
    ACCELD_RETURN_IF_ERROR(FetchAll(arrays, results));
  }
  return absl::OkStatus();
}

absl::StatusOr<Ran> RunOnDaemon(client::Client& client, const ir::ConformanceProgram& conformance) {
  Ran ran;
  if (conformance.needs_main()) {
    ACCELD_RETURN_IF_ERROR(RunMainOnDaemon(client, conformance, ran.results));
  }
  for (const ir::ParallelRun& run : conformance.runs) {
    const Placement placement = Place(client, run);
    if (placement.refusal.empty()) {
      ACCELD_RETURN_IF_ERROR(RunProcessesOnDaemon(client, run, placement.devices, ran.results));
      continue;
    }
    ran.interpreted = placement.refusal;
    ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::Literal> results, ir::InterpretParallelRun(run));
    ran.results.insert(ran.results.end(), results.begin(), results.end());
  }
  return ran;
}

// Returns the name of the file without folders, and without .bc for an artifact such as
// model.mlir.bc, so that it equals the name of the text form.
std::string ProgramName(const std::filesystem::path& path) {
  return (path.extension() == ".bc" ? path.stem() : path.filename()).string();
}

Outcome OutcomeOf(const absl::Status& error) {
  return {absl::IsUnimplemented(error) ? Verdict::kSkipped : Verdict::kFailed,
          std::string(error.message()), ""};
}

// Checks one program of a module.
Outcome CheckProgram(const Runner& run, const ir::Module& module, const std::string& entry,
                     const ir::CheckOverride* override) {
  Outcome outcome{Verdict::kPassed, "", ""};
  const absl::Status status = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(const ir::ConformanceProgram program,
                            ir::SplitConformanceProgram(module, entry));
    ACCELD_ASSIGN_OR_RETURN(const Ran ran, run(program));
    outcome.interpreted = ran.interpreted;
    const std::vector<std::string> failed = ir::FailedChecks(program, ran.results, override);
    if (!failed.empty()) outcome = {Verdict::kFailed, absl::StrJoin(failed, "; "), ""};
    return absl::OkStatus();
  }();
  return status.ok() ? outcome : OutcomeOf(status);
}

// Returns the files that `paths` name, including those found in folders, sorted.
absl::StatusOr<std::vector<std::string>> FindFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
      const std::string name = ProgramName(entry.path());
      if (absl::EndsWith(name, ".mlir")) files.push_back(entry.path().string());
    }
    if (error)
      return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", error.message()));
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no .mlir or .mlir.bc files in ", absl::StrJoin(paths, ", ")));
  }
  return files;
}

// Counts outcomes and prints them in the order of arrival.
class Tally {
 public:
  explicit Tally(const CheckFlags& flags) : flags_(flags) {}

  void Add(const std::string& path, const Outcome& outcome) {
    MutexLock lock(mutex_);
    switch (outcome.verdict) {
      case Verdict::kPassed:
        ++passed_;
        AddPassed(path, outcome.interpreted);
        break;
      case Verdict::kFailed:
        ++failed_;
        std::cout << path << ": FAILED: " << outcome.reason << "\n";
        break;
      case Verdict::kSkipped:
        ++skipped_;
        std::cout << path << ": skipped: " << outcome.reason << "\n";
        break;
    }
  }

  int Finish() {
    MutexLock lock(mutex_);
    if (flags_.json) {
      std::cout << nlohmann::ordered_json({{"passed", passed_},
                                           {"failed", failed_},
                                           {"skipped", skipped_},
                                           {"interpreted", interpreted_}})
                       .dump()
                << std::endl;
    } else {
      std::cout << passed_ << " passed, " << failed_ << " failed, " << skipped_ << " skipped"
                << std::endl;
    }
    return failed_ == 0 ? 0 : 1;
  }

 private:
  // `interpreted`: see Outcome.
  void AddPassed(const std::string& path, const std::string& interpreted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!interpreted.empty()) ++interpreted_;
    if (!interpreted.empty() && !flags_.json) {
      std::cout << path
                << ": passed, but its processes were run by the interpreter: " << interpreted
                << "\n";
    } else if (flags_.verbose) {
      std::cout << path << ": passed\n";
    }
  }

  const CheckFlags& flags_;
  Mutex mutex_;
  int passed_ ABSL_GUARDED_BY(mutex_) = 0;
  int interpreted_ ABSL_GUARDED_BY(mutex_) = 0;  // of those that passed
  int failed_ ABSL_GUARDED_BY(mutex_) = 0;
  int skipped_ ABSL_GUARDED_BY(mutex_) = 0;
};

// A file of programs, or one of its modules.
struct Source {
  std::string path;
  std::string name;  // for messages
  const ir::CheckOverride* override = nullptr;
};

// Checks all programs of a module.
void CheckModule(const Runner& run, absl::string_view text, const Source& source, Tally& tally) {
  const absl::StatusOr<ir::Module> module = ir::ReadProgram(text, source.path);
  if (!module.ok()) return tally.Add(source.name, OutcomeOf(module.status()));
  const absl::StatusOr<std::vector<std::string>> entries = ir::ConformanceEntries(*module);
  if (!entries.ok()) return tally.Add(source.name, OutcomeOf(entries.status()));
  for (const std::string& entry : *entries) {
    const std::string name =
        entries->size() == 1 ? source.name : absl::StrCat(source.name, ": @", entry);
    tally.Add(name, CheckProgram(run, *module, entry, source.override));
  }
}

// Checks all programs of a file.
void CheckFile(const Runner& run, const std::string& path, const ir::CheckOverrides& overrides,
               Tally& tally) {
  const ir::CheckOverride* override = overrides.Find(ProgramName(path));
  if (override != nullptr && override->skip) {
    return tally.Add(path, {Verdict::kSkipped, override->reason, ""});
  }
  const absl::StatusOr<std::string> bytes = client::ReadFile(path);
  if (!bytes.ok()) {
    return tally.Add(path, {Verdict::kFailed, std::string(bytes.status().message()), ""});
  }
  const std::vector<ir::ProgramText> modules = ir::SplitProgramFile(*bytes);
  for (const ir::ProgramText& module : modules) {
    const std::string name = modules.size() == 1 ? path : absl::StrCat(path, ":", module.line);
    CheckModule(run, module.text, {path, name, override}, tally);
  }
}

}  // namespace

absl::StatusOr<int> Check(client::Client* client, const CheckFlags& flags) {
  ir::CheckOverrides overrides;
  if (!flags.overrides.empty()) {
    ACCELD_ASSIGN_OR_RETURN(const std::string text, client::ReadFile(flags.overrides));
    ACCELD_ASSIGN_OR_RETURN(overrides, ir::CheckOverrides::Parse(text, flags.overrides));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> files, FindFiles(flags.paths));

  const auto on_daemon = [&](const ir::ConformanceProgram& p) { return RunOnDaemon(*client, p); };
  const Runner run = flags.interpreter ? Runner(Interpret) : Runner(on_daemon);
  Tally tally(flags);
  std::atomic<size_t> next = 0;
  std::vector<std::thread> workers;
  workers.reserve(static_cast<size_t>(flags.jobs));
  for (int i = 0; i < flags.jobs; ++i) {
    workers.emplace_back([&] {
      for (size_t at = next++; at < files.size(); at = next++) {
        CheckFile(run, files[at], overrides, tally);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return tally.Finish();
}

}  // namespace acceld::tools
