#include "client/tools/accelctl/connection.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "client/file.h"
#include "common/address.h"

namespace acceld::tools {
namespace {

constexpr std::chrono::seconds kStartTimeout{30};

// The daemon's binary: beside this one.
absl::StatusOr<std::string> DaemonPath() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path path = self.parent_path() / "acceld";
  if (error || !std::filesystem::exists(path, error)) {
    return absl::NotFoundError(
        absl::StrCat("--local needs the daemon's binary at ", path.string()));
  }
  return path.string();
}

// Says which of several daemons it is, when it is not the one that the user names.
void SayWhere(const ConnectionFlags& flags, const std::string& address) {
  const std::string given = flags.address.empty() ? DefaultAddress() : flags.address;
  if (!flags.local && given != address) std::cerr << "at " << address << "\n";
}

}  // namespace

template <typename Options>
absl::Status Connection::Prepare(const ConnectionFlags& flags, Options& options) {
  options.address = flags.address;
  options.credentials = flags.credentials;
  if (!flags.local) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(StartLocalDaemon(flags.local_flags));
  options.address = absl::StrCat("unix:", folder_, "/acceld.sock");
  options.wait_for_daemon = true;
  options.connect_timeout = kStartTimeout;
  return absl::OkStatus();
}

absl::Status Connection::Explain(const absl::Status& status) const {
  if (daemon_pid_ == 0) return status;
  const absl::StatusOr<std::string> log = client::ReadFile(folder_ + "/log");
  return Annotate(status, absl::StrCat("the private daemon did not start; its log says\n",
                                       log.ok() ? *log : "(nothing)", "\n"));
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::OpenClient(const ConnectionFlags& flags,
                                                                   client::Priority priority) {
  std::unique_ptr<Connection> connection(new Connection());
  client::ConnectOptions options;
  options.device = flags.device;
  options.priority = priority;
  ACCELD_RETURN_IF_ERROR(connection->Prepare(flags, options));
  absl::StatusOr<std::shared_ptr<client::Client>> client = client::Client::Connect(options);
  if (!client.ok()) return connection->Explain(client.status());
  connection->client_ = *std::move(client);
  SayWhere(flags, connection->client_->address());
  return connection;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::OpenAdmin(const ConnectionFlags& flags) {
  std::unique_ptr<Connection> connection(new Connection());
  client::AdminOptions options;
  ACCELD_RETURN_IF_ERROR(connection->Prepare(flags, options));
  absl::StatusOr<std::unique_ptr<client::Admin>> admin = client::Admin::Connect(options);
  if (!admin.ok()) return connection->Explain(admin.status());
  connection->admin_ = *std::move(admin);
  SayWhere(flags, connection->admin_->address());
  return connection;
}

absl::Status Connection::StartLocalDaemon(const std::vector<std::string>& flags) {
  ACCELD_ASSIGN_OR_RETURN(const std::string binary, DaemonPath());
  std::string folder = (std::filesystem::temp_directory_path() / "accelctl-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", folder));
  }
  folder_ = folder;

  std::vector<std::string> arguments = {binary, "--listen",
                                        absl::StrCat("unix:", folder_, "/acceld.sock")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string log = folder_ + "/log";
  // A daemon of one command needs no memory in advance.
  setenv("ACCELD_PREPARED_MEMORY", "0", /*replace=*/0);

  daemon_pid_ = fork();
  if (daemon_pid_ < 0) return absl::ErrnoToStatus(errno, "cannot start the private daemon");
  if (daemon_pid_ == 0) {
    // The child: only async-signal-safe calls until exec. It must not outlive the command.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
      dup2(fd, STDOUT_FILENO);
      dup2(fd, STDERR_FILENO);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }
  return absl::OkStatus();
}

void Connection::StopLocalDaemon() {
  if (daemon_pid_ > 0) {
    kill(daemon_pid_, SIGTERM);
    waitpid(daemon_pid_, nullptr, 0);
  }
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Connection::~Connection() {
  client_.reset();
  admin_.reset();
  StopLocalDaemon();
}

}  // namespace acceld::tools
