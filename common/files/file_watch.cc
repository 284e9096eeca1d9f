#include "common/files/file_watch.h"

#include <sys/stat.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/threads/start_thread.h"

namespace acceld {
namespace {

constexpr std::chrono::seconds kInterval{1};

}  // namespace

FileWatch::FileWatch(std::vector<std::string> paths, std::function<void()> on_change)
    : paths_(std::move(paths)), on_change_(std::move(on_change)), seen_(Snapshot()) {
  if (paths_.empty()) return;
  thread_ = StartThread("file-watch", [this] { Run(); });
}

FileWatch::~FileWatch() {
  if (!thread_.joinable()) return;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

std::string FileWatch::Snapshot() const {
  std::string state;
  for (const std::string& path : paths_) {
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) info = {};
    absl::StrAppend(&state, info.st_dev, ":", info.st_ino, ":", info.st_size, ":",
                    info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec, " ");
  }
  return state;
}

void FileWatch::Run() {
  while (true) {
    {
      MutexLock lock(mutex_);
      const auto deadline = std::chrono::steady_clock::now() + kInterval;
      while (!stopping_ && std::chrono::steady_clock::now() < deadline) {
        (void)changed_.WaitUntil(mutex_, deadline);
      }
      if (stopping_) return;
    }
    std::string now = Snapshot();
    if (now == std::exchange(seen_, now)) continue;
    on_change_();
  }
}

}  // namespace acceld
