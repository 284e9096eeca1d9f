#include "common/cli/check_words.h"

#include <algorithm>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/cli/nearest.h"
#include "common/cli/text.h"

namespace acceld::cli {
namespace {

std::string Quoted(const CLI::App& command) { return absl::StrCat("`", PathOf(command), "`"); }

// Returns the name by which messages call an option or argument: the longest one, "--out".
std::string NameOf(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(/*positional=*/true);
  return option.get_lnames().empty() ? "-" + option.get_snames()[0] : "--" + option.get_lnames()[0];
}

// Returns the placeholder of its value, "FILE".
std::string ValueName(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(":{"));  // What follows are the words that it may be.
}

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() != 0; }

bool TakesSeveral(const CLI::Option& option) {
  return option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
}

std::vector<std::string> CommandNames(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

CLI::App* FindCommand(CLI::App& parent, const std::string& name) {
  for (CLI::App* command : parent.get_subcommands([](CLI::App*) { return true; })) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

// Reads words for CheckWords.
class Reader {
 public:
  Reader(CLI::App& program, absl::Span<const std::string> words)
      : program_(program), command_(&program), words_(words) {}

  absl::Status Read() {
    bool only_arguments = false;
    while (next_ < words_.size() && !done_) {
      const std::string& word = words_[next_++];
      if (only_arguments) {
        ACCELD_RETURN_IF_ERROR(ReadArgument(word, /*may_be_command=*/false));
      } else if (word == "--") {
        only_arguments = true;
      } else if (CLI::App* const command = FindCommand(*command_, word)) {
        command_ = command;
      } else if (IsOption(word)) {
        ACCELD_RETURN_IF_ERROR(ReadOption(word));
      } else {
        ACCELD_RETURN_IF_ERROR(ReadArgument(word, /*may_be_command=*/true));
      }
    }
    return absl::OkStatus();
  }

 private:
  // Whether CLI11 takes the word for an option: not "-", and not a negative number.
  static bool IsOption(absl::string_view word) {
    if (!absl::ConsumePrefix(&word, "-") || word.empty()) return false;
    if (absl::ConsumePrefix(&word, "-")) return !word.empty() && word[0] != '-';
    return !absl::ascii_isdigit(static_cast<unsigned char>(word[0]));
  }

  // Returns the option of the command, or of one above it, that has this name; nullptr if none has.
  CLI::Option* FindOption(const std::string& name) const {
    for (CLI::App* command = command_; command != nullptr; command = command->get_parent()) {
      for (CLI::Option* option : command->get_options()) {
        if (!option->get_positional() && option->check_name(name)) return option;
      }
    }
    return nullptr;
  }

  absl::Status ReadOption(const std::string& word) {
    const bool is_long = word[1] == '-';
    const size_t name_size = is_long ? std::min(word.find('='), word.size()) : 2;
    const std::string name = word.substr(0, name_size);
    CLI::Option* const option = FindOption(name);
    if (option == nullptr) return UnknownOption(is_long ? name : word);
    if (option == command_->get_help_ptr() || option == program_.get_version_ptr()) {
      done_ = true;
      return absl::OkStatus();
    }
    if (!TakesValue(*option)) return absl::OkStatus();
    ACCELD_RETURN_IF_ERROR(CheckOnce(*option));
    std::string value = word.substr(std::min(name_size + (is_long ? 1 : 0), word.size()));
    if (value.empty()) {
      if (next_ == words_.size()) {
        return absl::InvalidArgumentError(absl::StrCat("option '", NameOf(*option), "' of ",
                                                       Quoted(*command_), " lacks its value, ",
                                                       ValueName(*option)));
      }
      value = words_[next_++];
    }
    return CheckValue(*option, value);
  }

  absl::Status ReadArgument(const std::string& word, bool may_be_command) {
    std::vector<std::string> names;
    for (CLI::Option* argument : command_->get_options()) {
      if (!argument->get_positional()) continue;
      names.push_back(NameOf(*argument));
      if (counts_[argument] > 0 && !TakesSeveral(*argument)) continue;
      ++counts_[argument];
      return CheckValue(*argument, word);
    }
    if (may_be_command && !CommandNames(*command_).empty()) return UnknownCommand(word);
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument '", word, "' of ", Quoted(*command_), ", which takes ",
                     names.empty() ? "none" : absl::StrCat("only ", Listed(names, "and"))));
  }

  // Counts the option. INVALID_ARGUMENT if it has been given and takes one value.
  absl::Status CheckOnce(const CLI::Option& option) {
    if (++counts_[&option] == 1 || TakesSeveral(option)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("option '", NameOf(option), "' of ", Quoted(*command_), " is given twice"));
  }

  absl::Status CheckValue(CLI::Option& option, const std::string& value) const {
    // CLI11 has no way to ask for the number of validators.
    for (int i = 0;; ++i) {
      const CLI::Validator* validator = nullptr;
      try {
        validator = option.get_validator(i);
      } catch (const CLI::OptionNotFound&) {
        return absl::OkStatus();
      }
      const std::string problem = (*validator)(value);
      if (problem.empty()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(option.get_positional() ? "argument" : "option", " '", NameOf(option),
                       "' of ", Quoted(*command_), ": ", problem));
    }
  }

  absl::Status UnknownOption(const std::string& word) const {
    std::vector<std::string> names;  // Without their hyphens, of which users forget one.
    for (const CLI::App* command = command_; command != nullptr; command = command->get_parent()) {
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back(name);
      }
    }
    const absl::string_view typed = absl::StripPrefix(absl::StripPrefix(word, "-"), "-");
    const absl::optional<std::string> nearest = Nearest(typed, names);
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown option '", word, "' of ", Quoted(*command_), "; ",
        nearest ? absl::StrCat("did you mean '--", *nearest, "'?")
                : absl::StrCat("`", PathOf(*command_), " --help` lists those that it has")));
  }

  absl::Status UnknownCommand(const std::string& word) const {
    const std::vector<std::string> names = CommandNames(*command_);
    std::vector<std::string> meant;
    if (const absl::optional<std::string> nearest = Nearest(word, names)) {
      meant.push_back(absl::StrCat("'", *nearest, "'"));
    } else {
      for (const std::string& name : names) {
        if (FindCommand(*FindCommand(*command_, name), word) == nullptr) continue;
        meant.push_back(absl::StrCat("'", name, " ", word, "'"));
      }
    }
    return absl::InvalidArgumentError(
        absl::StrCat("unknown command '", word, "' of ", Quoted(*command_), "; ",
                     meant.empty() ? absl::StrCat("it has ", Listed(names, "and"))
                                   : absl::StrCat("did you mean ", Listed(meant, "or"), "?")));
  }

  CLI::App& program_;
  CLI::App* command_;  // The one that the words have named so far.
  const absl::Span<const std::string> words_;
  size_t next_ = 0;
  bool done_ = false;
  // How often each option and argument has been given.
  absl::flat_hash_map<const CLI::Option*, int> counts_;
};

}  // namespace

std::string PathOf(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : absl::StrCat(PathOf(*parent), " ", command.get_name());
}

absl::Status CheckWords(CLI::App& program, absl::Span<const std::string> words) {
  return Reader(program, words).Read();
}

absl::Status CheckComplete(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_required() && option->count() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(option->get_positional() ? "argument" : "option", " '", NameOf(*option),
                       "' of ", Quoted(*command), " is missing: ", option->get_description()));
    }
    if (option->count() == 0) continue;
    for (const CLI::Option* other : option->get_excludes()) {
      if (other->count() == 0) continue;
      return absl::InvalidArgumentError(absl::StrCat("'", NameOf(*option), "' and '",
                                                     NameOf(*other), "' of ", Quoted(*command),
                                                     " exclude each other"));
    }
  }
  const std::vector<std::string> names = CommandNames(*command);
  if (names.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(*command), " needs a command: ", Listed(names, "or")));
}

}  // namespace acceld::cli
