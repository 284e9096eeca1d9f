#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/threads/mutex.h"

namespace acceld {

// Polls a list of files once a second and calls a function when one of them was replaced or
// written, or its owner or mode was changed.
class FileWatch {
 public:
  // `on_change` is called on a thread of the FileWatch and may block. Without paths there is no
  // thread.
  FileWatch(std::vector<std::string> paths, std::function<void()> on_change);
  // Waits for a running `on_change` to return.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  // Returns a text of the files' metadata, which differs whenever one of the files was changed.
  std::string Snapshot() const;
  void Run();

  const std::vector<std::string> paths_;
  const std::function<void()> on_change_;
  std::string seen_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Declared last, because it uses the other members.
};

}  // namespace acceld
