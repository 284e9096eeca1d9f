#include "client/tools/accelctl/control.h"

#include <memory>

#include "client/tools/accelctl/commands/commands.h"
#include "client/tools/accelctl/token.h"
#include "common/cli/values.h"

namespace acceld::tools {

void AddControlCommands(CLI::App& program, Action& action) {
  const auto kill = std::make_shared<KillFlags>();  // Shared with the callbacks, as is `drain`.
  CLI::App* kill_command =
      AddCommand(program, "kill", "end a session, and what it has left running",
                 "accelctl kill 33 --reason 'too long'");
  kill_command->add_option("session", kill->session, "its number; see accelctl sessions")
      ->required()
      ->type_name("SESSION")
      ->check(cli::WholeNumber(1));
  kill_command->add_option("--reason", kill->reason, "what its client is told")->type_name("TEXT");
  kill_command->callback([kill, &action] {
    action = AsAdmin([kill](client::Admin& admin) { return Kill(admin, *kill); });
  });

  const auto drain = std::make_shared<DrainFlags>();
  CLI::App* drain_command =
      AddCommand(program, "drain", "take no new sessions and report not ready; open ones go on",
                 "accelctl drain --wait");
  CLI::Option* undo = drain_command->add_flag("--undo", drain->undo, "take new sessions again");
  drain_command->add_flag("--wait", drain->wait, "end when no session is open any more")
      ->excludes(undo);
  drain_command->callback([drain, &action] {
    action = AsAdmin([drain](client::Admin& admin) { return Drain(admin, *drain); });
  });
}

void AddTokenCommands(CLI::App& program, Action& action) {
  CLI::App* token = AddCommand(program, "token", "bearer tokens, by which daemons know callers",
                               "accelctl token new ann");
  token->require_subcommand(1);
  const auto flags = std::make_shared<TokenFlags>();  // Shared with the callback.
  CLI::App* make = AddCommand(*token, "new", "make one, and the daemon's line for it",
                              "accelctl token new ann --role publisher");
  make->add_option("name", flags->name, "whom it is for")->required()->type_name("NAME");
  make->add_option("--role", flags->role, "what its holder may do")
      ->capture_default_str()
      ->type_name("ROLE")
      ->check(cli::OneOf({"user", "publisher", "admin"}));
  make->callback([flags, &action] {
    action = [flags](const ConnectionFlags&) -> absl::StatusOr<int> {
      ACCELD_RETURN_IF_ERROR(PrintNewToken(*flags));
      return 0;
    };
  });
}

}  // namespace acceld::tools
