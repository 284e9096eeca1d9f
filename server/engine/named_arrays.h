#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/mutex.h"
#include "common/status.h"
#include "server/engine/engine.h"
#include "server/runtime/array.h"

namespace acceld::engine {

// Arrays that have a name, by which sessions other than the one that made them find them. A name
// keeps its array alive. A name belongs to the identity that gave it: all its sessions may open,
// give anew and drop it; sessions of others may open it when it is for everyone. Admins may do all.
//
// Thread-safe; arrays are let go of without the lock.
class NamedArrays {
 public:
  explicit NamedArrays(size_t limit) : limit_(limit) {}

  // Names `array`. OK when it has this name already. ALREADY_EXISTS without `options.replace`,
  // PERMISSION_DENIED (another's name, or for everyone without being a publisher),
  // RESOURCE_EXHAUSTED, INVALID_ARGUMENT (the name).
  absl::Status Publish(const Identity& owner, absl::string_view name,
                       std::shared_ptr<runtime::Array> array, const PublishOptions& options);
  // NOT_FOUND, PERMISSION_DENIED.
  absl::StatusOr<std::shared_ptr<runtime::Array>> Open(const Identity& reader,
                                                       absl::string_view name) const;
  // NOT_FOUND, PERMISSION_DENIED.
  absl::Status Drop(const Identity& who, absl::string_view name);
  // Those that `reader` may open, by name.
  std::vector<NamedArrayInfo> List(const Identity& reader) const;

 private:
  struct Entry {
    std::shared_ptr<runtime::Array> array;  // Shared with sessions that hold handles to it.
    std::string owner;
    bool for_everyone = false;
    std::chrono::steady_clock::time_point since;
  };

  const size_t limit_;
  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
