#include <utility>

#include "CLI/CLI.hpp"
#include "common/cli/documents.h"
#include "common/cli/values.h"

namespace acceld::cli {

void AddGenerate(CLI::App& app, ManualInfo about) {
  app.add_option_function<std::string>(
         "--generate",
         [&app, about = std::move(about)](const std::string& kind) {
           const Command program = DescribeCommand(app);
           std::string text;
           if (kind == "bash") text = BashCompletion(program);
           if (kind == "fish") text = FishCompletion(program);
           if (kind == "man") text = ManualPage(program, about);
           if (kind == "zsh") text = ZshCompletion(program);
           text.pop_back();  // The printing adds a line end.
           // CLI11 prints the text of this exception and ends the program with success.
           throw CLI::CallForVersion(text, 0);
         },
         "print this program's completion for a shell, or its page of the manual, and end")
      ->type_name("KIND")
      ->check(OneOf({"bash", "fish", "man", "zsh"}));
}

}  // namespace acceld::cli
