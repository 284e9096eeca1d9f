#pragma once

#include "common/status.h"
#include "server/cache/entry.h"
#include "server/cache/files.h"

namespace acceld::cache {

// Returns the node's signing key from the file node.key in `folder`; creates it from the system's
// random source when there is none. Several processes may call this at once; all get the same key.
// A key that others could read or write is replaced, which invalidates the entries signed with it.
// FAILED_PRECONDITION when the file belongs to another user or is not a regular file; other errors
// are the system's. Reads and writes files.
absl::StatusOr<SigningKey> LoadOrCreateNodeKey(const Folder& folder);

}  // namespace acceld::cache
