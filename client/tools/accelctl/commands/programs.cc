#include <memory>

#include "client/tools/accelctl/check.h"
#include "client/tools/accelctl/commands/commands.h"
#include "client/tools/accelctl/run.h"
#include "common/cli/values.h"

namespace acceld::tools {
namespace {

void AddRun(CLI::App& program, Action& action) {
  const auto flags = std::make_shared<RunFlags>();  // Shared with the callback.
  CLI::App* run = AddCommand(program, "run", "run a program of StableHLO",
                             "accelctl run model.mlir --arg x.npy --arg 'f32[8,64]=random'");
  run->add_option("program", flags->program, "a file, or - for standard input")
      ->required()
      ->type_name("FILE");
  AddArguments(*run, flags->arguments,
               "an argument, in order: FILE.npy or DTYPE[SIZES]=random|zeros|iota|VALUE, such as "
               "f32[2,3]=random");
  run->add_option("--out", flags->out_dir, "folder for the results, as 0.npy, 1.npy, ...")
      ->type_name("FOLDER");
  run->add_option("--entry", flags->entry, "the function to run")
      ->capture_default_str()
      ->type_name("NAME");
  run->add_option("--repeat", flags->repeat, "number of runs")
      ->capture_default_str()
      ->type_name("COUNT")
      ->check(cli::WholeNumber(1, 1'000'000));
  run->add_option("--timeout", flags->timeout_s,
                  "seconds after which the daemon cancels a run (default: none)")
      ->type_name("SECONDS")
      ->check(cli::Number(0.001, 4e6));
  AddJson(*run, flags->json);
  run->callback([flags, &action] {
    action = [flags](const ConnectionFlags& connection) { return Run(connection, *flags); };
  });
}

void AddCheck(CLI::App& program, Action& action) {
  const auto flags = std::make_shared<CheckFlags>();  // Shared with the callback.
  CLI::App* check = AddCommand(
      program, "check",
      "run conformance programs: they hold their inputs, expected values and check calls",
      "accelctl check --jobs 4 conformance/");
  check->add_option("paths", flags->paths, "files, or folders with .mlir and .mlir.bc files")
      ->required()
      ->type_name("FILE");
  check->add_option("--overrides", flags->overrides, "file with `FILE RULE REASON` lines")
      ->type_name("FILE");
  check->add_option("--jobs", flags->jobs, "programs at a time")
      ->capture_default_str()
      ->type_name("COUNT")
      ->check(cli::WholeNumber(1, 64));
  check->add_flag("--interpreter", flags->interpreter,
                  "run them in the reference interpreter, without a daemon");
  check->add_flag("--verbose", flags->verbose, "a line for passing files, too");
  AddJson(*check, flags->json);
  check->callback([flags, &action] {
    action = [flags](const ConnectionFlags& connection) -> absl::StatusOr<int> {
      if (flags->interpreter) return Check(nullptr, *flags);
      return InSession([&](client::Client& client) { return Check(&client, *flags); })(connection);
    };
  });
}

}  // namespace

void AddProgramCommands(CLI::App& program, Action& action) {
  AddRun(program, action);
  AddCheck(program, action);
}

}  // namespace acceld::tools
