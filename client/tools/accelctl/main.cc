// accelctl: runs programs on a daemon and asks it questions.

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "client/tools/accelctl/check.h"
#include "client/tools/accelctl/connection.h"
#include "client/tools/accelctl/names.h"
#include "client/tools/accelctl/queries.h"
#include "client/tools/accelctl/run.h"

namespace acceld::tools {
namespace {

// What the chosen subcommand does; gives the exit code.
using Action = std::function<absl::StatusOr<int>(client::Client&)>;

Action Always0(std::function<absl::Status(client::Client&)> command) {
  return [command = std::move(command)](client::Client& client) -> absl::StatusOr<int> {
    ACCELD_RETURN_IF_ERROR(command(client));
    return 0;
  };
}

void AddQuery(CLI::App& parent, const std::string& name, const std::string& help,
              absl::Status (*print)(client::Client&, bool), Action& action) {
  CLI::App* query = parent.add_subcommand(name, help);
  auto json = std::make_shared<bool>(false);  // lives as long as the callback
  query->add_flag("--json", *json, "print JSON");
  query->callback([&action, json, print] {
    action = Always0([json, print](client::Client& client) { return print(client, *json); });
  });
}

// `names` and its commands.
void AddNames(CLI::App& app, NameFlags& flags, Action& action) {
  CLI::App* names = app.add_subcommand("names", "named arrays, which clients share");
  names->require_subcommand(1);
  AddQuery(*names, "ls", "those that you may open", PrintNames, action);
  const auto add = [&](const char* command, const char* help,
                       absl::Status (*run)(client::Client&, const NameFlags&)) {
    CLI::App* sub = names->add_subcommand(command, help);
    sub->add_option("name", flags.name, "the array's name")->required();
    sub->callback([&action, &flags, run] {
      action = Always0([&flags, run](client::Client& client) { return run(client, flags); });
    });
    return sub;
  };
  CLI::App* publish = add("publish", "upload an array and name it", PublishName);
  publish->add_option("value", flags.value, "as for run --arg: FILE.npy or DTYPE[SIZES]=VALUE")
      ->required();
  publish->add_flag("--for-everyone", flags.options.for_everyone,
                    "let other identities open it; for publishers");
  publish->add_flag("--replace", flags.options.replace, "take the name from another array");
  publish->add_option("--device", flags.device, "number of the device")->capture_default_str();
  add("get", "write the value of a named array to a file", FetchName)
      ->add_option("file", flags.file, "FILE.npy")
      ->required();
  add("drop", "forget a name", DropName);
}

absl::StatusOr<int> RunOnDaemon(const ConnectionFlags& flags, const Action& action) {
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection, Connection::Open(flags));
  return action(*connection->client());
}

int Main(int argc, char** argv) {
  CLI::App app{
      "Runs programs on acceld and asks it questions.\n\n"
      "  accelctl run model.mlir --arg x.npy --arg 'f32[8,64]=random' --out results\n"
      "  accelctl --local run model.mlir --arg 'f32[8,64]=random' --json"};
  app.require_subcommand(1);
  app.fallthrough();
  ConnectionFlags connection_flags;
  app.add_option(
      "--address", connection_flags.address,
      "the daemon, as unix:PATH or HOST:PORT (default: $ACCELD_ADDRESS, else the user's socket)");
  app.add_flag("--local", connection_flags.local, "start a private daemon for this one command");
  app.add_option("--local-flag", connection_flags.local_flags,
                 "a flag for the private daemon, such as --local-flag=--cpu-devices=2; repeatable")
      ->allow_extra_args(false);
  Action action;

  RunFlags run;
  CLI::App* run_command = app.add_subcommand("run", "run a program of StableHLO text");
  run_command->add_option("program", run.program, "a file, or - for standard input")->required();
  run_command
      ->add_option("--arg", run.arguments,
                   "an argument, in order: FILE.npy or DTYPE[SIZES]=random|zeros|iota|VALUE, such "
                   "as f32[2,3]=random")
      ->allow_extra_args(false);
  run_command->add_option("--out", run.out_dir, "folder for the results, as 0.npy, 1.npy, ...");
  run_command->add_option("--entry", run.entry, "the function to run")->capture_default_str();
  run_command->add_option("--repeat", run.repeat, "number of runs")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  run_command->add_option("--device", run.device, "number of the device")->capture_default_str();
  run_command->add_flag("--json", run.json, "print JSON");
  run_command->callback(
      [&] { action = Always0([&](client::Client& client) { return Run(client, run); }); });

  CheckFlags check;
  CLI::App* check_command = app.add_subcommand(
      "check", "run conformance programs: they hold their inputs, expected values and check calls");
  check_command->add_option("paths", check.paths, "files, or folders with .mlir and .mlir.bc files")
      ->required();
  check_command->add_option("--overrides", check.overrides, "file with `FILE RULE REASON` lines");
  check_command->add_option("--jobs", check.jobs, "programs at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  check_command->add_flag("--interpreter", check.interpreter,
                          "run them in the reference interpreter, without a daemon");
  check_command->add_flag("--verbose", check.verbose, "a line for passing files, too");
  check_command->add_flag("--json", check.json, "print the counts as JSON");
  check_command->callback(
      [&] { action = [&](client::Client& client) { return Check(&client, check); }; });

  AddQuery(app, "devices", "the daemon's devices and their memory", PrintDevices, action);
  AddQuery(app, "sessions", "who is connected", PrintSessions, action);
  AddQuery(app, "stats", "counters since the daemon's start", PrintStats, action);
  NameFlags names;
  AddNames(app, names, action);
  CLI::App* cache = app.add_subcommand("cache", "the cache of executables");
  cache->require_subcommand(1);
  AddQuery(*cache, "ls", "its entries, most recently used first", PrintCache, action);
  CLI11_PARSE(app, argc, argv);

  const absl::StatusOr<int> exit_code =
      check.interpreter ? Check(nullptr, check) : RunOnDaemon(connection_flags, action);
  if (!exit_code.ok()) {
    std::cerr << "accelctl: " << exit_code.status().message() << "\n";
    return 1;
  }
  return *exit_code;
}

}  // namespace
}  // namespace acceld::tools

int main(int argc, char** argv) { return acceld::tools::Main(argc, argv); }
