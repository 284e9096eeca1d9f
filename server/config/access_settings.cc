#include "server/config/access_settings.h"

#include "absl/strings/str_cat.h"
#include "server/rpc/auth/policy.h"

namespace acceld::config {
namespace {

// Parses file permissions in octal, as "0660".
absl::StatusOr<mode_t> ParseMode(absl::string_view text) {
  mode_t mode = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') mode = 01000;
    mode = mode * 8 + (digit - '0');
  }
  if (text.empty() || text.size() > 4 || mode > 0777 || (mode & 0600) != 0600) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is not a mode from 0600 to 0777 that lets the daemon's own user in"));
  }
  return mode;
}

}  // namespace

void AddAccessSettings(SettingTable& table) {
  table.Group("Access");
  const auto principals = [&table](const char* name, auto field, const char* help) {
    Setting& row = table.List(name, "PRINCIPAL", field, help);
    row.reloadable = true;
    row.check = [](absl::string_view text) { return rpc::CheckPrincipal(text); };
  };
  principals(
      "users", [](DaemonConfig& c) -> auto& { return c.rpc.access.users; },
      "who may use the daemon: user:NAME, uid:N, group:NAME, gid:N or uid:* (everybody who can "
      "open "
      "the unix socket); cert:NAME or cert:* (a client certificate). The daemon's own user and "
      "root "
      "may do everything");
  principals(
      "publishers", [](DaemonConfig& c) -> auto& { return c.rpc.access.publishers; },
      "the same, who may also name arrays for everyone");
  principals(
      "admins", [](DaemonConfig& c) -> auto& { return c.rpc.access.admins; },
      "the same, who may also see and end others' sessions, drain the daemon, read its trace and "
      "list its cache");
  Setting& mode = table.Add("socket-mode", SettingType::kText,
                            "mode of the unix sockets' files; for other users to connect it has to "
                            "let them in, and so have the folders above. systemd's unit says it of "
                            "those that it passes");
  mode.value_name = "MODE";
  mode.fallback = "0600";
  mode.check = [](absl::string_view text) { return ParseMode(text).status(); };
  mode.apply = [](const Value& value, DaemonConfig& config) {
    config.rpc.access.socket_mode = *ParseMode(std::get<std::string>(value));
  };
  table.Text(
      "access-tokens", "FILE", [](DaemonConfig& c) -> auto& { return c.rpc.access.tokens; },
      "file of bearer tokens, a line for each as accelctl token new prints it: NAME ROLE "
      "sha256:HEX; over TCP callers without a client certificate need one then");
  Setting& anonymous = table.Add(
      "refuse-anonymous", SettingType::kSwitch,
      "let nobody in over unencrypted TCP who has no token; otherwise, where there is no file of "
      "tokens, all of them are the identity loopback, with the role user");
  anonymous.fallback = false;
  anonymous.reloadable = true;
  anonymous.apply = [](const Value& value, DaemonConfig& config) {
    config.rpc.access.refuse_anonymous = std::get<bool>(value);
  };
  table.Text(
      "tls-cert", "FILE", [](DaemonConfig& c) -> auto& { return c.rpc.access.tls_certificate; },
      "the certificate that tls:// addresses show, in PEM, with the intermediate ones behind it");
  table.Text(
      "tls-key", "FILE", [](DaemonConfig& c) -> auto& { return c.rpc.access.tls_key; },
      "its private key, in PEM, without a pass phrase");
  table.Text(
      "tls-client-ca", "FILE", [](DaemonConfig& c) -> auto& { return c.rpc.access.tls_client_ca; },
      "authorities whose certificates name clients, in PEM; the name is the first URI, else the "
      "first DNS name, else the common name");
}

}  // namespace acceld::config
