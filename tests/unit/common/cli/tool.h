#pragma once

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "common/cli/documents.h"
#include "common/cli/values.h"

namespace acceld::testing {

// A program with commands, options and arguments of every kind that the project's programs have.
// Parse it once.
struct Tool {
  Tool() {
    app.set_version_flag("--version", "tool 1");
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--address", address, "the daemon")->type_name("[HOST:]PORT");
    CLI::App* run = app.add_subcommand("run", "run a program");
    run->footer("Example:\n  tool run x.mlir --arg 1");
    run->add_option("program", program, "a file")->required()->type_name("FILE");
    run->add_option("--arg", arguments, "an argument")->allow_extra_args(false)->type_name("FILE");
    run->add_option("--repeat", repeat, "number of runs")
        ->type_name("COUNT")
        ->capture_default_str()
        ->check(cli::WholeNumber(1, 100));
    run->add_option("--timeout", timeout, "seconds")
        ->type_name("SECONDS")
        ->check(cli::Number(0.5, 4e6));
    run->add_flag("--json", json, "print JSON");
    CLI::App* cache = app.add_subcommand("cache", "the cache");
    cache->require_subcommand(1);
    CLI::App* list = cache->add_subcommand("ls", "its entries");
    list->add_option("-o,--out", out, "a file")->required()->type_name("FILE");
    CLI::App* purge = cache->add_subcommand("purge", "remove entries");
    CLI::Option* some = purge->add_option("keys", keys, "which")->type_name("KEY");
    purge->add_flag("--all", all, "every entry")->excludes(some);
    CLI::App* token = app.add_subcommand("token", "make one");
    token->add_option("name", name, "whom it is for")->required()->type_name("NAME");
    token->add_option("--role", role, "what its holder may do")
        ->type_name("ROLE")
        ->capture_default_str()
        ->check(cli::OneOf({"user", "publisher", "admin"}));
    token->add_option("--number", number, "its number")
        ->type_name("NUMBER")
        ->check(cli::WholeNumber(1));
  }

  CLI::App app{"asks a daemon questions", "tool"};
  std::string address, program, out, name, role = "user";
  std::vector<std::string> arguments, keys;
  int repeat = 1;
  uint64_t number = 0;
  double timeout = 0;
  bool json = false, all = false;
};

}  // namespace acceld::testing
