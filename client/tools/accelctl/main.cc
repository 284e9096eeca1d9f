// accelctl: runs programs on a daemon and administers it.

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "client/tools/accelctl/bundle.h"
#include "client/tools/accelctl/cache.h"
#include "client/tools/accelctl/check.h"
#include "client/tools/accelctl/connection.h"
#include "client/tools/accelctl/control.h"
#include "client/tools/accelctl/names.h"
#include "client/tools/accelctl/queries.h"
#include "client/tools/accelctl/run.h"
#include "client/tools/accelctl/token.h"
#include "client/tools/accelctl/top.h"
#include "client/tools/accelctl/trace.h"
#include "common/cli/documents.h"

namespace acceld::tools {
namespace {

// The action of the chosen subcommand. Returns the exit code.
using Action = std::function<absl::StatusOr<int>(const ConnectionFlags&)>;

// Makes an action that runs in a session.
Action InSession(std::function<absl::StatusOr<int>(client::Client&)> command,
                 client::Priority priority = client::Priority::kNormal) {
  return [command = std::move(command),
          priority](const ConnectionFlags& flags) -> absl::StatusOr<int> {
    ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                            Connection::OpenClient(flags, priority));
    return command(connection->client());
  };
}

// Makes an action that needs no session.
Action WithoutSession(std::function<absl::StatusOr<int>(client::Admin&)> command) {
  return [command = std::move(command)](const ConnectionFlags& flags) -> absl::StatusOr<int> {
    ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                            Connection::OpenAdmin(flags));
    return command(connection->admin());
  };
}

Action AsAdmin(std::function<absl::Status(client::Admin&)> command) {
  return WithoutSession(
      [command = std::move(command)](client::Admin& admin) -> absl::StatusOr<int> {
        ACCELD_RETURN_IF_ERROR(command(admin));
        return 0;
      });
}

void AddQuery(CLI::App& parent, const std::string& name, const std::string& help,
              absl::Status (*print)(client::Admin&, bool), Action& action) {
  CLI::App* query = parent.add_subcommand(name, help);
  auto json = std::make_shared<bool>(false);  // Shared with the callback.
  query->add_flag("--json", *json, "print JSON");
  query->callback([&action, json, print] {
    action = AsAdmin([json, print](client::Admin& admin) { return print(admin, *json); });
  });
}

struct CacheFlags {
  WarmFlags warm;
  ExplainFlags explain;
  std::vector<std::string> keys;  // Of purge and export.
  std::string bundle;
  bool remote = false;
  bool all = false;
  bool json = false;    // Of ls.
  size_t limit = 1000;  // Of ls.
};

void AddCacheList(CLI::App& cache, CacheFlags& flags, Action& action) {
  CLI::App* list = cache.add_subcommand("ls", "its entries, most recently used first");
  list->add_flag("--remote", flags.remote,
                 "those in the cache that daemons share instead, in no order");
  list->add_option("--limit", flags.limit, "how many at most")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  list->add_flag("--json", flags.json, "print JSON");
  list->callback([&] {
    action = AsAdmin([&](client::Admin& admin) {
      return PrintCache(admin, flags.json, flags.remote, flags.limit);
    });
  });
}

void AddWarm(CLI::App& cache, WarmFlags& flags, Action& action) {
  CLI::App* warm = cache.add_subcommand("warm", "compile programs ahead");
  warm->add_option("paths", flags.paths,
                   "programs, folders with .mlir, .mlir.bc and .stablehlo files, or lists (*.list: "
                   "a program a line, and its argument types)")
      ->required();
  warm->add_option("--type", flags.types,
                   "type of an argument, in order, such as f32[8,128]; those of the program where "
                   "it says them; repeatable")
      ->allow_extra_args(false);
  warm->add_option("--target", flags.targets,
                   "architecture to compile for, as accelctl devices shows it where there is such "
                   "a device, or sm_90 for one with the daemon's NVRTC and libraries; repeatable "
                   "(default: the session's device)")
      ->allow_extra_args(false);
  warm->add_option("--entry", flags.entry, "the function to compile")->capture_default_str();
  warm->add_option("--jobs", flags.jobs, "how many at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  warm->add_flag("--json", flags.json, "print JSON");
  warm->callback([&] {
    // Nothing waits for the result, so the priority is low.
    action = InSession([&](client::Client& client) { return WarmCache(client, flags); },
                       client::Priority::kBatch);
  });
}

void AddExplain(CLI::App& cache, ExplainFlags& flags, Action& action) {
  CLI::App* explain = cache.add_subcommand(
      "explain", "where a program's executable would be found, or what it differs in");
  explain->add_option("program", flags.program, "a file, or - for standard input")->required();
  explain
      ->add_option("--type", flags.types,
                   "type of an argument, in order, such as f32[8,128]; repeatable (default: those "
                   "of the program)")
      ->allow_extra_args(false);
  explain->add_option("--target", flags.target,
                      "architecture as for warm (default: the session's device)");
  explain->add_option("--entry", flags.entry, "the function")->capture_default_str();
  explain->add_flag("--json", flags.json, "print JSON");
  explain->callback([&] {
    action = InSession([&](client::Client& client) { return ExplainCache(client, flags); });
  });
}

// Adds the commands for administrators of the cache.
void AddCacheCare(CLI::App& cache, CacheFlags& flags, Action& action) {
  CLI::App* verify = cache.add_subcommand("verify", "check every entry, and remove bad ones");
  verify->add_flag("--remote", flags.remote, "also those in the cache that daemons share");
  verify->callback([&] {
    action = [&](const ConnectionFlags& connection_flags) -> absl::StatusOr<int> {
      ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                              Connection::OpenAdmin(connection_flags));
      return VerifyCache(connection->admin(), flags.remote);
    };
  });
  CLI::App* purge = cache.add_subcommand("purge", "remove entries; what runs goes on");
  CLI::Option* keys = purge->add_option("keys", flags.keys, "as accelctl cache ls shows them");
  purge->add_flag("--all", flags.all, "every entry")->excludes(keys);
  purge->add_flag("--remote", flags.remote, "also from the cache that daemons share");
  purge->callback([&] {
    if (flags.keys.empty() && !flags.all) throw CLI::RequiredError("keys, or --all");
    action =
        AsAdmin([&](client::Admin& admin) { return PurgeCache(admin, flags.keys, flags.remote); });
  });
  CLI::App* out = cache.add_subcommand(
      "export", "write entries, signed with the team's key, to a file for another site");
  out->add_option("file", flags.bundle, "the bundle")->required();
  out->add_option("--key", flags.keys, "an entry; repeatable (default: all on disk)")
      ->allow_extra_args(false);
  out->callback([&] {
    action = AsAdmin(
        [&](client::Admin& admin) { return ExportBundle(admin, flags.bundle, flags.keys); });
  });
  CLI::App* in = cache.add_subcommand("import", "take in what export has written elsewhere");
  in->add_option("file", flags.bundle, "the bundle")->required();
  in->callback([&] {
    action = [&](const ConnectionFlags& connection_flags) -> absl::StatusOr<int> {
      ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                              Connection::OpenAdmin(connection_flags));
      return ImportBundle(connection->admin(), flags.bundle);
    };
  });
}

// Adds `names` and its commands.
void AddNames(CLI::App& app, NameFlags& flags, Action& action) {
  CLI::App* names = app.add_subcommand("names", "named arrays, which clients share");
  names->require_subcommand(1);
  AddQuery(*names, "ls", "those that you may open", PrintNames, action);
  const auto add = [&](const char* command, const char* help,
                       absl::Status (*run)(client::Client&, const NameFlags&)) {
    CLI::App* sub = names->add_subcommand(command, help);
    sub->add_option("name", flags.name, "the array's name")->required();
    sub->callback([&action, &flags, run] {
      action = InSession([&flags, run](client::Client& client) -> absl::StatusOr<int> {
        ACCELD_RETURN_IF_ERROR(run(client, flags));
        return 0;
      });
    });
    return sub;
  };
  CLI::App* publish = add("publish", "upload an array and name it", PublishName);
  publish->add_option("value", flags.value, "as for run --arg: FILE.npy or DTYPE[SIZES]=VALUE")
      ->required()
      ->type_name("FILE");
  publish->add_flag("--for-everyone", flags.options.for_everyone,
                    "let other identities open it; for publishers");
  publish->add_flag("--replace", flags.options.replace, "take the name from another array");
  add("get", "write the value of a named array to a file", FetchName)
      ->add_option("file", flags.file, "FILE.npy")
      ->required()
      ->type_name("FILE");
  add("drop", "forget a name", DropName);
}

void AddCredentials(CLI::App& app, client::Credentials& credentials) {
  const auto add = [&app](const char* name, std::string& field, const char* help) {
    app.add_option(name, field, help)->type_name("FILE")->group("Access");
  };
  add("--token-file", credentials.token_file, "your token [$ACCELD_TOKEN_FILE]");
  add("--ca-file", credentials.ca_file,
      "authorities that vouch for a tls:// daemon, in PEM [$ACCELD_CA_FILE, else the system's]");
  add("--cert-file", credentials.certificate_file,
      "your certificate for it, in PEM [$ACCELD_CERT_FILE]");
  add("--key-file", credentials.key_file, "that one's key, in PEM [$ACCELD_KEY_FILE]");
  app.add_option("--server-user", credentials.server_user,
                 "whose daemon's unix socket is trusted besides your own and root's, by name or "
                 "number [$ACCELD_SERVER_USER]")
      ->type_name("USER")
      ->group("Access");
}

// Adds `token` and its command, which need no daemon.
void AddToken(CLI::App& app, TokenFlags& flags, Action& action) {
  CLI::App* token = app.add_subcommand("token", "bearer tokens, by which daemons know callers");
  token->require_subcommand(1);
  CLI::App* make = token->add_subcommand("new", "make one, and the daemon's line for it");
  make->add_option("name", flags.name, "whom it is for")->required();
  make->add_option("--role", flags.role, "what its holder may do")
      ->capture_default_str()
      ->check(CLI::IsMember({"user", "publisher", "admin"}));
  make->callback([&action, &flags] {
    action = [&flags](const ConnectionFlags&) -> absl::StatusOr<int> {
      ACCELD_RETURN_IF_ERROR(PrintNewToken(flags));
      return 0;
    };
  });
}

int Main(int argc, char** argv) {
  CLI::App app{
      "Runs programs on acceld and asks it questions.\n\n"
      "  accelctl run model.mlir --arg x.npy --arg 'f32[8,64]=random' --out results\n"
      "  accelctl --local run model.mlir --arg 'f32[8,64]=random' --json",
      "accelctl"};
  app.set_version_flag("--version", "accelctl " ACCELD_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  ConnectionFlags connection_flags;
  app.add_option("--address", connection_flags.address,
                 "the daemon, as unix:PATH, HOST:PORT (loopback) or tls://HOST:PORT; or several, "
                 "with commas between them or behind one name, of which one is used: "
                 "tls://NAME@IP:PORT is that one (default: $ACCELD_ADDRESS, else the user's "
                 "socket, else the machine's)");
  AddCredentials(app, connection_flags.credentials);
  app.add_option(
      "--device", connection_flags.device,
      "where programs run: a number, or its kind and a number among those, such as cuda:0 "
      "(default: $ACCELD_DEVICE, else 0)");
  app.add_flag("--local", connection_flags.local, "start a private daemon for this one command");
  app.add_option("--local-flag", connection_flags.local_flags,
                 "a flag for the private daemon, such as --local-flag=--cpu-devices=2; repeatable")
      ->allow_extra_args(false);
  Action action;

  RunFlags run;
  CLI::App* run_command = app.add_subcommand("run", "run a program of StableHLO text");
  run_command->add_option("program", run.program, "a file, or - for standard input")
      ->required()
      ->type_name("FILE");
  run_command
      ->add_option("--arg", run.arguments,
                   "an argument, in order: FILE.npy or DTYPE[SIZES]=random|zeros|iota|VALUE, such "
                   "as f32[2,3]=random")
      ->allow_extra_args(false)
      ->type_name("FILE");
  run_command->add_option("--out", run.out_dir, "folder for the results, as 0.npy, 1.npy, ...")
      ->type_name("FOLDER");
  run_command->add_option("--entry", run.entry, "the function to run")->capture_default_str();
  run_command->add_option("--repeat", run.repeat, "number of runs")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  run_command
      ->add_option("--timeout", run.timeout_s,
                   "seconds after which the daemon cancels a run (default: none)")
      ->check(CLI::Range(0.001, 4e6));
  run_command->add_flag("--json", run.json, "print JSON");
  run_command->callback(
      [&] { action = [&](const ConnectionFlags& flags) { return Run(flags, run); }; });

  CheckFlags check;
  CLI::App* check_command = app.add_subcommand(
      "check", "run conformance programs: they hold their inputs, expected values and check calls");
  check_command->add_option("paths", check.paths, "files, or folders with .mlir and .mlir.bc files")
      ->required()
      ->type_name("FILE");
  check_command->add_option("--overrides", check.overrides, "file with `FILE RULE REASON` lines")
      ->type_name("FILE");
  check_command->add_option("--jobs", check.jobs, "programs at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  check_command->add_flag("--interpreter", check.interpreter,
                          "run them in the reference interpreter, without a daemon");
  check_command->add_flag("--verbose", check.verbose, "a line for passing files, too");
  check_command->add_flag("--json", check.json, "print the counts as JSON");
  check_command->callback(
      [&] { action = InSession([&](client::Client& client) { return Check(&client, check); }); });

  TraceFlags trace;
  CLI::App* trace_command =
      app.add_subcommand("trace", "what the daemon did lately, for Perfetto or chrome://tracing");
  trace_command->add_option("-o,--out", trace.out, "the file, or - for standard output")
      ->required()
      ->type_name("FILE");
  trace_command->add_option("--seconds", trace.seconds, "how far back; 0: all that is kept")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9));
  trace_command->callback(
      [&] { action = AsAdmin([&](client::Admin& admin) { return WriteTrace(admin, trace); }); });

  TopFlags top;
  CLI::App* top_command = app.add_subcommand("top", "devices, queues, sessions and cache, live");
  top_command->add_flag("--once", top.once, "print one picture and end");
  top_command->add_option("--interval", top.interval_s, "seconds between two pictures")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  top_command->callback([&] {
    action = [&](const ConnectionFlags& flags) -> absl::StatusOr<int> {
      ACCELD_RETURN_IF_ERROR(Top(flags, top));
      return 0;
    };
  });

  KillFlags kill;
  CLI::App* kill_command = app.add_subcommand("kill", "end a session");
  kill_command->add_option("session", kill.session, "its number; see accelctl sessions")
      ->required();
  kill_command->add_option("--reason", kill.reason, "what its client is told");
  kill_command->callback(
      [&] { action = AsAdmin([&](client::Admin& admin) { return Kill(admin, kill); }); });

  DrainFlags drain;
  CLI::App* drain_command =
      app.add_subcommand("drain", "take no new sessions and report not ready; open ones go on");
  CLI::Option* undo = drain_command->add_flag("--undo", drain.undo, "take new sessions again");
  drain_command->add_flag("--wait", drain.wait, "end when no session is open any more")
      ->excludes(undo);
  drain_command->callback(
      [&] { action = AsAdmin([&](client::Admin& admin) { return Drain(admin, drain); }); });

  HealthFlags health;
  CLI::App* health_command = app.add_subcommand(
      "health",
      "whether the daemon takes new sessions: ends with 0 if it does, with 3 if not, with "
      "1 when none answers");
  health_command->add_flag("--live", health.live, "end with 0 if it answers at all");
  health_command->callback([&] {
    action = WithoutSession([&](client::Admin& admin) { return CheckHealth(admin, health); });
  });

  AddQuery(app, "devices", "the daemon's devices and their memory", PrintDevices, action);
  AddQuery(app, "sessions", "who is connected", PrintSessions, action);
  AddQuery(app, "stats", "counters since the daemon's start", PrintStats, action);
  NameFlags names;
  AddNames(app, names, action);
  TokenFlags token;
  AddToken(app, token, action);
  CLI::App* cache = app.add_subcommand("cache", "the cache of executables");
  cache->require_subcommand(1);
  AddQuery(*cache, "stat", "hits by tier, sizes, and how the shared cache does", PrintCacheStats,
           action);
  CacheFlags cache_flags;
  AddCacheList(*cache, cache_flags, action);
  AddWarm(*cache, cache_flags.warm, action);
  AddExplain(*cache, cache_flags.explain, action);
  AddCacheCare(*cache, cache_flags, action);
  cli::AddGenerate(app, {.summary = "runs programs on acceld and asks it questions",
                         .version = ACCELD_VERSION,
                         .section = 1});
  CLI11_PARSE(app, argc, argv);

  const absl::StatusOr<int> exit_code =
      check.interpreter ? Check(nullptr, check) : action(connection_flags);
  if (!exit_code.ok()) {
    std::cerr << "accelctl: " << exit_code.status().message() << "\n";
    return 1;
  }
  return *exit_code;
}

}  // namespace
}  // namespace acceld::tools

int main(int argc, char** argv) { return acceld::tools::Main(argc, argv); }
