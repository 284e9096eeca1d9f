#include "client/tools/accelctl/names.h"

#include <memory>

#include "client/tools/accelctl/commands/commands.h"
#include "client/tools/accelctl/queries/queries.h"

namespace acceld::tools {

void AddNameCommands(CLI::App& program, Action& action) {
  CLI::App* names =
      AddCommand(program, "names", "named arrays, which clients share", "accelctl names ls");
  names->require_subcommand(1);
  AddQuery(AddCommand(*names, "ls", "those that you may open", "accelctl names ls --wide"),
           PrintNames, action);
  const auto flags = std::make_shared<NameFlags>();  // Shared with the callbacks.
  const auto add = [&](const char* name, const char* help, const char* example,
                       absl::Status (*run)(client::Client&, const NameFlags&)) {
    CLI::App* command = AddCommand(*names, name, help, example);
    command->add_option("name", flags->name, "the array's name")->required()->type_name("NAME");
    command->callback([&action, flags, run] {
      action = InSession([flags, run](client::Client& client) -> absl::StatusOr<int> {
        ACCELD_RETURN_IF_ERROR(run(client, *flags));
        return 0;
      });
    });
    return command;
  };
  CLI::App* publish = add("publish", "upload an array and name it",
                          "accelctl names publish weights 'f32[1000,100]=random'", PublishName);
  publish->add_option("value", flags->value, "as for run --arg: FILE.npy or DTYPE[SIZES]=VALUE")
      ->required()
      ->type_name("FILE");
  publish->add_flag("--for-everyone", flags->options.for_everyone,
                    "let other identities open it; for publishers");
  publish->add_flag("--replace", flags->options.replace, "take the name from another array");
  add("get", "write the value of a named array to a file", "accelctl names get weights weights.npy",
      FetchName)
      ->add_option("file", flags->file, "FILE.npy")
      ->required()
      ->type_name("FILE");
  add("drop", "forget a name", "accelctl names drop weights", DropName);
}

}  // namespace acceld::tools
