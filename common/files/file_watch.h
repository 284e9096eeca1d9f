#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/threads/mutex.h"

namespace acceld {

// Looks once a second whether one of some files was replaced or written, or has another owner or
// mode, and says so.
class FileWatch {
 public:
  // `on_change` is called on the watch's own thread, which may wait. Without files there is none.
  FileWatch(std::vector<std::string> paths, std::function<void()> on_change);
  // Waits for `on_change` to return.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  // What tells one state of the files from another.
  std::string Look() const;
  void Run();

  const std::vector<std::string> paths_;
  const std::function<void()> on_change_;
  std::string seen_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace acceld
