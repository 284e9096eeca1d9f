// accelctl: runs programs on a daemon and administers it.

#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "client/tools/accelctl/commands/commands.h"
#include "common/cli/documents.h"
#include "common/cli/parse.h"

namespace acceld::tools {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  accelctl run model.mlir --arg x.npy --arg 'f32[8,64]=random' --out results\n"
    "  accelctl --local run model.mlir --arg 'f32[8,64]=random' --json\n"
    "  accelctl sessions";

void AddCredentials(CLI::App& program, client::Credentials& credentials) {
  const auto add = [&program](const char* name, std::string& field, const char* help) {
    program.add_option(name, field, help)->type_name("FILE")->group("Access");
  };
  add("--token-file", credentials.token_file, "your token [$ACCELD_TOKEN_FILE]");
  add("--ca-file", credentials.ca_file,
      "authorities that vouch for a tls:// daemon, in PEM [$ACCELD_CA_FILE, else the system's]");
  add("--cert-file", credentials.certificate_file,
      "your certificate for it, in PEM [$ACCELD_CERT_FILE]");
  add("--key-file", credentials.key_file, "that one's key, in PEM [$ACCELD_KEY_FILE]");
  program
      .add_option("--server-user", credentials.server_user,
                  "whose daemon's unix socket is trusted besides your own and root's, by name or "
                  "number [$ACCELD_SERVER_USER]")
      ->type_name("USER")
      ->group("Access");
}

void AddConnection(CLI::App& program, ConnectionFlags& flags) {
  program
      .add_option("--address", flags.address,
                  "the daemon, as unix:PATH, HOST:PORT (loopback) or tls://HOST:PORT; or several, "
                  "with commas between them or behind one name, of which one is used: "
                  "tls://NAME@IP:PORT is that one (default: $ACCELD_ADDRESS, else the user's "
                  "socket, else the machine's)")
      ->type_name("ADDRESS");
  AddCredentials(program, flags.credentials);
  program
      .add_option("--device", flags.device,
                  "where programs run: a number, or its kind and a number among those, such as "
                  "cuda:0 (default: $ACCELD_DEVICE, else 0)")
      ->type_name("DEVICE");
  program.add_flag("--local", flags.local, "start a private daemon for this one command");
  program
      .add_option("--local-flag", flags.local_flags,
                  "a flag for the private daemon, such as --local-flag=--cpu-devices=2")
      ->allow_extra_args(false)
      ->type_name("FLAG");
}

int Main(int argc, char** argv) {
  CLI::App program{"runs programs on acceld and asks it questions", "accelctl"};
  program.footer(kExamples);
  program.set_version_flag("--version", "accelctl " ACCELD_VERSION);
  program.require_subcommand(1);
  program.fallthrough();
  ConnectionFlags connection;
  AddConnection(program, connection);
  Action action;
  AddProgramCommands(program, action);
  AddQueryCommands(program, action);
  AddControlCommands(program, action);
  AddCacheCommands(program, action);
  AddNameCommands(program, action);
  AddTokenCommands(program, action);
  cli::AddGenerate(program, {.summary = "runs programs on acceld and asks it questions",
                             .version = ACCELD_VERSION,
                             .section = 1});
  if (const absl::optional<int> status = cli::Parse(program, argc, argv)) return *status;

  const absl::StatusOr<int> exit_code = action(connection);
  if (!exit_code.ok()) {
    std::cerr << "accelctl: " << exit_code.status().message() << "\n";
    return 1;
  }
  return *exit_code;
}

}  // namespace
}  // namespace acceld::tools

int main(int argc, char** argv) { return acceld::tools::Main(argc, argv); }
