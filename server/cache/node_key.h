#pragma once

#include "common/status.h"
#include "server/cache/entry.h"
#include "server/cache/files.h"

namespace acceld::cache {

// The key in `folder`/node.key, made from the system's random source when there is none. Several
// processes may do so at once; all end up with the same key. A key that others could read or write
// is replaced, which disowns the entries signed with it. FAILED_PRECONDITION when the file belongs
// to another user or is not a regular file; other errors are the system's. Reads and writes files.
absl::StatusOr<SigningKey> LoadOrCreateNodeKey(const Folder& folder);

}  // namespace acceld::cache
