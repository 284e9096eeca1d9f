#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/ir/module.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::pjrt {

// The text of a compiled program, made when it is first requested. Thread-safe.
class ProgramText {
 public:
  // `find` returns the program, and may ask the daemon for it.
  using Find = std::function<absl::StatusOr<std::shared_ptr<const ir::Module>>()>;
  explicit ProgramText(Find find) : find_(std::move(find)) {}

  // Returns the text, which is the same at each call and valid as long as this object. Blocks as
  // `find` does; an error of it is returned, and the next call tries again.
  absl::StatusOr<const std::string*> Get();

 private:
  const Find find_;
  Mutex mutex_;  // held while the text is made
  // nullptr until the text has been made.
  std::unique_ptr<const std::string> text_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::pjrt
