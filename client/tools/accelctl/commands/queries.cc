#include "client/tools/accelctl/queries/queries.h"

#include <memory>

#include "client/tools/accelctl/commands/commands.h"
#include "client/tools/accelctl/control.h"
#include "client/tools/accelctl/top.h"
#include "client/tools/accelctl/trace.h"
#include "common/cli/values.h"

namespace acceld::tools {
namespace {

void AddLists(CLI::App& program, Action& action) {
  AddQuery(
      AddCommand(program, "devices",
                 "the daemon's devices and their memory, and why a GPU or a library is missing",
                 "accelctl devices"),
      PrintDevices, action);
  CLI::App* sessions =
      AddCommand(program, "sessions", "who is connected, and what occupies the devices",
                 "accelctl sessions --ended");
  const auto ended = std::make_shared<bool>(false);  // Shared with the callback.
  const auto output = std::make_shared<ListOutput>();
  sessions->add_flag("--ended", *ended, "also the sessions that ended last, and why");
  AddListOutput(*sessions, *output);
  sessions->callback([ended, output, &action] {
    action = AsAdmin(
        [ended, output](client::Admin& admin) { return PrintSessions(admin, *ended, *output); });
  });
  AddQuery(AddCommand(program, "stats", "counters since the daemon's start", "accelctl stats"),
           PrintStats, action);
}

void AddTop(CLI::App& program, Action& action) {
  const auto flags = std::make_shared<TopFlags>();  // Shared with the callback.
  CLI::App* top = AddCommand(program, "top", "devices, queues, sessions and the cache, live",
                             "accelctl top --interval 5");
  top->add_flag("--once", flags->once, "print one picture and end");
  top->add_option("--interval", flags->interval_s, "seconds between two pictures")
      ->capture_default_str()
      ->type_name("SECONDS")
      ->check(cli::Number(0.1, 3600));
  top->add_flag("--wide", flags->wide,
                "whole names and all columns, however long the lines get; with --once");
  top->callback([flags, &action] {
    action = [flags](const ConnectionFlags& connection) -> absl::StatusOr<int> {
      ACCELD_RETURN_IF_ERROR(Top(connection, *flags));
      return 0;
    };
  });
}

void AddTrace(CLI::App& program, Action& action) {
  const auto flags = std::make_shared<TraceFlags>();  // Shared with the callback.
  CLI::App* trace =
      AddCommand(program, "trace", "what the daemon did lately, for Perfetto or chrome://tracing",
                 "accelctl trace -o trace.json --seconds 10");
  trace->add_option("-o,--out", flags->out, "the file, or - for standard output")
      ->required()
      ->type_name("FILE");
  trace->add_option("--seconds", flags->seconds, "how far back; 0: all that is kept")
      ->capture_default_str()
      ->type_name("SECONDS")
      ->check(cli::Number(0, 1e9));
  trace->callback([flags, &action] {
    action = AsAdmin([flags](client::Admin& admin) { return WriteTrace(admin, *flags); });
  });
}

void AddHealth(CLI::App& program, Action& action) {
  const auto flags = std::make_shared<HealthFlags>();  // Shared with the callback.
  CLI::App* health = AddCommand(program, "health",
                                "whether the daemon takes new sessions: ends with 0 if it does, "
                                "with 3 if not, with 1 when none answers",
                                "accelctl health --live");
  health->add_flag("--live", flags->live, "end with 0 if it answers at all");
  health->callback([flags, &action] {
    action = WithoutSession([flags](client::Admin& admin) { return CheckHealth(admin, *flags); });
  });
}

}  // namespace

void AddQueryCommands(CLI::App& program, Action& action) {
  AddLists(program, action);
  AddTop(program, action);
  AddTrace(program, action);
  AddHealth(program, action);
}

}  // namespace acceld::tools
