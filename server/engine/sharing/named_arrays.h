#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/session/session_types.h"
#include "server/engine/sharing/identity_account.h"
#include "server/runtime/array.h"
#include "server/runtime/memory/meter.h"

namespace acceld::engine {

// Arrays that have a name, by which sessions other than the one that made them find them. A name
// keeps its array alive. A name belongs to the identity that gave it: all its sessions may open,
// give anew and drop it; sessions of others may open it when it is for everyone. Otherwise it does
// not exist for them: they may have the same name themselves, which goes before one for everyone.
// Admins may open and drop all.
//
// Thread-safe; arrays are let go of without the lock.
class NamedArrays {
 public:
  explicit NamedArrays(size_t limit) : limit_(limit) {}

  // Names `array`, which the account of `owner` counts as long as the name is there. OK when it has
  // this name already. ALREADY_EXISTS without `options.replace`,
  // PERMISSION_DENIED (another's for everyone, or for everyone without being a publisher),
  // RESOURCE_EXHAUSTED, INVALID_ARGUMENT (the name).
  absl::Status Publish(const Identity& owner, IdentityAccount& account, absl::string_view name,
                       std::shared_ptr<runtime::Array> array, const PublishOptions& options);
  // NOT_FOUND; for admins FAILED_PRECONDITION when it is of several others.
  absl::StatusOr<std::shared_ptr<runtime::Array>> Open(const Identity& reader,
                                                       absl::string_view name);
  // The same; PERMISSION_DENIED for another's for everyone.
  absl::Status Drop(const Identity& who, absl::string_view name);
  // Those that `reader` may open, by name.
  std::vector<NamedArrayInfo> List(const Identity& reader) const;

 private:
  struct Entry {
    std::shared_ptr<runtime::Array> array;  // Shared with sessions that hold handles to it.
    std::string owner;
    bool for_everyone = false;
    std::chrono::steady_clock::time_point since;
    runtime::Charge charge;  // To the owner.
  };

  using Entries = std::map<std::pair<std::string, std::string>, Entry>;  // by name and owner

  // The entry that is for everyone, or the end.
  Entries::iterator FindShared(absl::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What `who` means by a name: its own, one for everyone, or, for an admin, another's.
  absl::StatusOr<Entries::iterator> FindFor(const Identity& who, absl::string_view name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t limit_;
  mutable Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
