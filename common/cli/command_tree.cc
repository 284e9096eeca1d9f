#include "common/cli/command_tree.h"

#include <algorithm>

#include "CLI/CLI.hpp"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace acceld::cli {
namespace {

Option DescribeOption(const CLI::Option& option) {
  Option described{
      .help = option.get_description(),
      .fallback = option.get_default_str(),
      .group = option.get_group(),
      .required = option.get_required(),
      .repeatable = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size,
  };
  if (option.get_positional()) {
    described.names.push_back(option.get_name(/*positional=*/true));
  } else {
    for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() == 0) return described;
  // CLI11 gives the type and the description of its validators: "TEXT:{user,admin}".
  const std::string type = option.get_type_name();
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(absl::string_view(type), absl::MaxSplits(":{", 1));
  described.value = std::string(parts.first);
  absl::string_view choices = parts.second;
  if (absl::ConsumeSuffix(&choices, "}")) described.choices = absl::StrSplit(choices, ',');
  return described;
}

}  // namespace

Command DescribeCommand(const CLI::App& app) {
  Command command{
      .name = app.get_name(), .help = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* one) { return !one->get_group().empty(); })) {
    (option->get_positional() ? command.arguments : command.options)
        .push_back(DescribeOption(*option));
  }
  // CLI11 has the groups in the order of the first option of each.
  const std::vector<std::string> groups = app.get_groups();
  const auto rank = [&groups](const Option& option) {
    return std::find(groups.begin(), groups.end(), option.group);
  };
  std::stable_sort(command.options.begin(), command.options.end(),
                   [&](const Option& a, const Option& b) { return rank(a) < rank(b); });
  for (const CLI::App* sub :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    command.commands.push_back(DescribeCommand(*sub));
  }
  return command;
}

}  // namespace acceld::cli
