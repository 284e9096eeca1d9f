#include "client/tools/accelctl/check.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iostream>
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
  std::string reason;          // Empty if passed.
  bool has_processes = false;  // Whether a part of it runs as several processes.
};

using Results = absl::StatusOr<std::vector<ir::Literal>>;
// Runs the program's main on its inputs, and what it runs as several processes.
using Runner = std::function<Results(const ir::ConformanceProgram&)>;

Results Interpret(const ir::ConformanceProgram& conformance) {
  return ir::InterpretConformanceProgram(conformance);
}

Results RunMainOnDaemon(client::Client& client, const ir::ConformanceProgram& conformance) {
  ACCELD_ASSIGN_OR_RETURN(const client::Program program,
                          client::Program::FromModule(conformance.program));
  std::vector<client::Array> arguments;
  for (const ir::Literal& input : conformance.inputs) {
    ACCELD_ASSIGN_OR_RETURN(client::Array array, client.Upload(input));
    arguments.push_back(std::move(array));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::Array> arrays,
                          client.Execute(program, arguments));
  std::vector<ir::Literal> results;
  for (const client::Array& array : arrays) {
    ACCELD_ASSIGN_OR_RETURN(ir::Literal literal, array.Fetch());
    results.push_back(std::move(literal));
  }
  return results;
}

// The daemon does not run several processes of a program: the interpreter does.
Results RunOnDaemon(client::Client& client, const ir::ConformanceProgram& conformance) {
  std::vector<ir::Literal> results;
  if (conformance.needs_main()) {
    ACCELD_ASSIGN_OR_RETURN(results, RunMainOnDaemon(client, conformance));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::Literal> of_runs, ir::InterpretRuns(conformance));
  results.insert(results.end(), of_runs.begin(), of_runs.end());
  return results;
}

// Returns the name of the file without folders, and without .bc for an artifact such as
// model.mlir.bc, so that it equals the name of the text form.
std::string ProgramName(const std::filesystem::path& path) {
  return (path.extension() == ".bc" ? path.stem() : path.filename()).string();
}

Outcome OutcomeOf(const absl::Status& error) {
  return {absl::IsUnimplemented(error) ? Verdict::kSkipped : Verdict::kFailed,
          std::string(error.message())};
}

// Checks one program of a module.
Outcome CheckProgram(const Runner& run, const ir::Module& module, const std::string& entry,
                     const ir::CheckOverride* override) {
  Outcome outcome{Verdict::kPassed, ""};
  const absl::Status status = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(const ir::ConformanceProgram program,
                            ir::SplitConformanceProgram(module, entry));
    outcome.has_processes = !program.runs.empty();
    ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::Literal> results, run(program));
    const std::vector<std::string> failed = ir::FailedChecks(program, results, override);
    if (!failed.empty()) outcome = {Verdict::kFailed, absl::StrJoin(failed, "; ")};
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
        AddPassed(path, outcome.has_processes && !flags_.interpreter);
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
  // `is_interpreted`: the interpreter ran what the daemon should have run.
  void AddPassed(const std::string& path, bool is_interpreted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (is_interpreted) ++interpreted_;
    if (is_interpreted && !flags_.json) {
      std::cout << path << ": passed, but its processes were run by the interpreter, since the "
                << "daemon does not run several processes of a program\n";
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
    return tally.Add(path, {Verdict::kSkipped, override->reason});
  }
  const absl::StatusOr<std::string> bytes = client::ReadFile(path);
  if (!bytes.ok()) {
    return tally.Add(path, {Verdict::kFailed, std::string(bytes.status().message())});
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
