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

// Arrays with names, by which sessions other than the one that made them can open them. A name
// keeps its array alive. It belongs to the identity that gave it: all sessions of that identity may
// open, replace and drop it. Sessions of other identities may open it if it is for everyone;
// otherwise it does not exist for them. An identity may use a name that is also for everyone; its
// own array then takes precedence. Admins may open and drop all names.
//
// Thread-safe; arrays are released without the lock.
class NamedArrays {
 public:
  // At most `limit` names may exist.
  explicit NamedArrays(size_t limit) : limit_(limit) {}

  // Gives `array` a name, which is charged to `account`, the account of `owner`, as long as it
  // exists. OK when the array has this name already. ALREADY_EXISTS when another array has it and
  // `options.replace` is not set; PERMISSION_DENIED when the name is for everyone and belongs to
  // another identity, or when a user who is no publisher names an array for everyone;
  // RESOURCE_EXHAUSTED; INVALID_ARGUMENT for a malformed name.
  absl::Status Publish(const Identity& owner, IdentityAccount& account, absl::string_view name,
                       std::shared_ptr<runtime::Array> array, const PublishOptions& options);
  // Returns the array of that name. NOT_FOUND; FAILED_PRECONDITION for admins when several other
  // identities have the name.
  absl::StatusOr<std::shared_ptr<runtime::Array>> Open(const Identity& reader,
                                                       absl::string_view name);
  // Removes a name. The errors of Open; PERMISSION_DENIED when the name is for everyone and belongs
  // to another identity.
  absl::Status Drop(const Identity& who, absl::string_view name);
  // Returns the arrays that `reader` may open, by name.
  std::vector<NamedArrayInfo> List(const Identity& reader) const;

 private:
  struct Entry {
    std::shared_ptr<runtime::Array> array;  // shared with sessions that hold handles to it
    std::string owner;
    bool for_everyone = false;
    std::chrono::steady_clock::time_point since;
    runtime::Charge charge;  // to the owner
  };

  using Entries = std::map<std::pair<std::string, std::string>, Entry>;  // by name and owner

  // Returns the entry of that name that is for everyone, or end().
  Entries::iterator FindShared(absl::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the entry that a name denotes for an identity: its own, the one for everyone, or, for
  // an admin, that of another identity.
  absl::StatusOr<Entries::iterator> FindFor(const Identity& who, absl::string_view name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t limit_;
  mutable Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
