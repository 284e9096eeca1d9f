#include "client/tools/accelctl/commands/command.h"

#include <memory>
#include <utility>

namespace acceld::tools {

CLI::App* AddCommand(CLI::App& parent, const std::string& name, const std::string& help,
                     const std::string& example) {
  CLI::App* command = parent.add_subcommand(name, help);
  command->footer("Example:\n  " + example);
  return command;
}

void AddJson(CLI::App& command, bool& json) { command.add_flag("--json", json, "print JSON"); }

void AddListOutput(CLI::App& command, ListOutput& output) {
  AddJson(command, output.json);
  command.add_flag("--wide", output.wide,
                   "whole names and all columns, however long the lines get");
}

void AddArguments(CLI::App& command, std::vector<std::string>& arguments, const std::string& help) {
  command.add_option("--arg", arguments, help)->allow_extra_args(false)->type_name("FILE");
}

void AddQuery(CLI::App* command, absl::Status (*print)(client::Admin&, const ListOutput&),
              Action& action) {
  const auto output = std::make_shared<ListOutput>();  // Shared with the callback.
  AddListOutput(*command, *output);
  command->callback([&action, output, print] {
    action = AsAdmin([output, print](client::Admin& admin) { return print(admin, *output); });
  });
}

Action InSession(std::function<absl::StatusOr<int>(client::Client&)> command,
                 client::Priority priority) {
  return [command = std::move(command),
          priority](const ConnectionFlags& flags) -> absl::StatusOr<int> {
    ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                            Connection::OpenClient(flags, priority));
    return command(connection->client());
  };
}

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

}  // namespace acceld::tools
