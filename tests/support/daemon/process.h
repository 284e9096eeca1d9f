#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

// Child processes. One thread.
namespace acceld::testing {

// Folder of the built binaries (acceld, accelctl): $ACCELD_BIN_DIR.
std::string BinDir();

// The bytes of a file; none when it can't be read.
std::string ReadText(const std::string& path);

// A fresh folder that is removed with this object.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What a service manager gives a child, besides the test's own environment.
struct Inheritance {
  std::vector<int> sockets;              // as sd_listen_fds(3) says, from descriptor 3 on
  std::vector<std::string> environment;  // "NAME=VALUE"
};

// A running child; killed and reaped with this object. It does not outlive the test's process
// either.
class Process {
 public:
  // `argv[0]` is a path. Standard output and error go to `log_path`.
  static absl::StatusOr<Process> Start(std::vector<std::string> argv, const std::string& log_path,
                                       const Inheritance& inherited = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  pid_t pid() const { return pid_; }
  void Signal(int signal);
  // Whether the child has ended and waits for Wait.
  bool HasEnded() const;
  // Blocks until the child has ended; its exit code, or 128 + signal.
  int Wait();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_ = 0;  // 0: reaped or moved from
};

// Runs a command to its end. `output` holds what it wrote to standard output and error.
struct CommandResult {
  int exit_code = 0;
  std::string output;
};
CommandResult RunCommand(const std::vector<std::string>& argv);

}  // namespace acceld::testing
