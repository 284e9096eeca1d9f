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
#include "common/ir/program.h"
#include "common/threads/mutex.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

enum class Verdict { kPassed, kFailed, kSkipped };

struct Outcome {
  Verdict verdict;
  std::string reason;  // Empty if passed.
};

using Results = absl::StatusOr<std::vector<ir::Literal>>;
// Runs the program's main on its inputs.
using Runner = std::function<Results(const ir::ConformanceProgram&)>;

Results Interpret(const ir::ConformanceProgram& conformance) {
  return ir::Interpret(conformance.program, "main", conformance.inputs);
}

Results RunOnDaemon(client::Client& client, const ir::ConformanceProgram& conformance) {
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

// Returns the name of the file without folders, and without .bc for an artifact such as
// model.mlir.bc, so that it equals the name of the text form.
std::string ProgramName(const std::filesystem::path& path) {
  return (path.extension() == ".bc" ? path.stem() : path.filename()).string();
}

Outcome CheckFile(const Runner& run, const std::string& path, const ir::CheckOverrides& overrides) {
  const auto outcome = [&]() -> absl::StatusOr<Outcome> {
    const ir::CheckOverride* override = overrides.Find(ProgramName(path));
    if (override != nullptr && override->skip) return Outcome{Verdict::kSkipped, override->reason};
    ACCELD_ASSIGN_OR_RETURN(const std::string bytes, client::ReadFile(path));
    ACCELD_ASSIGN_OR_RETURN(const ir::Module module, ir::ReadProgram(bytes, path));
    ACCELD_ASSIGN_OR_RETURN(const ir::ConformanceProgram program,
                            ir::SplitConformanceProgram(module));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::Literal> results, run(program));
    const std::vector<std::string> failed = ir::FailedChecks(program, results, override);
    if (failed.empty()) return Outcome{Verdict::kPassed, ""};
    return Outcome{Verdict::kFailed, absl::StrJoin(failed, "; ")};
  }();
  if (outcome.ok()) return *outcome;
  const bool unsupported = absl::IsUnimplemented(outcome.status());
  return {unsupported ? Verdict::kSkipped : Verdict::kFailed,
          std::string(outcome.status().message())};
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
  explicit Tally(bool verbose) : verbose_(verbose) {}

  void Add(const std::string& path, const Outcome& outcome) {
    MutexLock lock(mutex_);
    switch (outcome.verdict) {
      case Verdict::kPassed:
        ++passed_;
        if (verbose_) std::cout << path << ": passed\n";
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

  int Finish(bool json) {
    MutexLock lock(mutex_);
    if (json) {
      std::cout << nlohmann::ordered_json(
                       {{"passed", passed_}, {"failed", failed_}, {"skipped", skipped_}})
                       .dump()
                << std::endl;
    } else {
      std::cout << passed_ << " passed, " << failed_ << " failed, " << skipped_ << " skipped"
                << std::endl;
    }
    return failed_ == 0 ? 0 : 1;
  }

 private:
  const bool verbose_;
  Mutex mutex_;
  int passed_ ABSL_GUARDED_BY(mutex_) = 0;
  int failed_ ABSL_GUARDED_BY(mutex_) = 0;
  int skipped_ ABSL_GUARDED_BY(mutex_) = 0;
};

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
  Tally tally(flags.verbose);
  std::atomic<size_t> next = 0;
  std::vector<std::thread> workers;
  workers.reserve(static_cast<size_t>(flags.jobs));
  for (int i = 0; i < flags.jobs; ++i) {
    workers.emplace_back([&] {
      for (size_t at = next++; at < files.size(); at = next++) {
        tally.Add(files[at], CheckFile(run, files[at], overrides));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return tally.Finish(flags.json);
}

}  // namespace acceld::tools
