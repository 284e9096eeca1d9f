#include "tests/support/daemon/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::testing {
namespace {

constexpr int kFirstPassed = 3;
constexpr int kAbovePassed = 100;

// For execve.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In a child: to descriptors from kFirstPassed on, past those that are still needed.
void PassSockets(const std::vector<int>& sockets) {
  for (size_t i = 0; i < sockets.size(); ++i) {
    dup2(sockets[i], kAbovePassed + static_cast<int>(i));
  }
  for (size_t i = 0; i < sockets.size(); ++i) {
    dup2(kAbovePassed + static_cast<int>(i), kFirstPassed + static_cast<int>(i));
    close(kAbovePassed + static_cast<int>(i));
  }
}

// In a child, where memory cannot be had.
void WriteNumber(int number, char* to) {
  char digits[16];
  int count = 0;
  for (; number > 0; number /= 10) digits[count++] = static_cast<char>('0' + number % 10);
  while (count > 0) *to++ = digits[--count];
  *to = '\0';
}

}  // namespace

std::string BinDir() {
  const char* folder = getenv("ACCELD_BIN_DIR");
  ACCELD_CHECK(folder != nullptr);  // set by the build for every test that needs it
  return folder;
}

std::string ReadText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TempDir::TempDir() {
  path_ = (std::filesystem::temp_directory_path() / "acceld-test-XXXXXX").string();
  ACCELD_CHECK(mkdtemp(path_.data()) != nullptr);
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

absl::StatusOr<Process> Process::Start(std::vector<std::string> argv, const std::string& log_path,
                                       const Inheritance& inherited) {
  std::vector<char*> pointers = Pointers(argv);
  // All that a child between fork and exec may not do itself.
  std::vector<std::string> environment = inherited.environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  char pid_variable[32] = "LISTEN_PID=";
  std::vector<char*> variables = Pointers(environment);
  const std::string count = absl::StrCat("LISTEN_FDS=", inherited.sockets.size());
  if (!inherited.sockets.empty()) {
    variables.insert(variables.begin(), {const_cast<char*>(count.c_str()), pid_variable});
  }
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (!inherited.sockets.empty()) {
      PassSockets(inherited.sockets);
      WriteNumber(getpid(), pid_variable + std::strlen(pid_variable));
    }
    execve(pointers[0], pointers.data(), variables.data());
    _exit(127);
  }
  return Process(pid);
}

Process::Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

Process::~Process() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Process::Signal(int signal) {
  if (pid_ != 0) kill(pid_, signal);
}

bool Process::HasEnded() const {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

int Process::Wait() {
  int status = 0;
  ACCELD_CHECK(waitpid(std::exchange(pid_, 0), &status, 0) > 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

CommandResult RunCommand(const std::vector<std::string>& argv) {
  const TempDir folder;
  const std::string log = folder.path() + "/log";
  absl::StatusOr<Process> process = Process::Start(argv, log);
  if (!process.ok()) return {127, std::string(process.status().message())};
  CommandResult result;
  result.exit_code = process->Wait();
  result.output = ReadText(log);
  return result;
}

}  // namespace acceld::testing
