#pragma once

#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::kernels::cpu {

// Code in this process, until destroyed. Immutable.
class LinkedCode {
 public:
  virtual ~LinkedCode() = default;
  virtual const void* entry() const = 0;
};

// Links objects with LLVM's JITLink, in a name space of their own. An object may refer to what
// those after it define and to the run-time symbols. All of it is done, in the calling thread, when
// this returns: ORC, which would order objects itself, hands them from one thread's look-up to
// another's and let code run before what it calls was executable. Thread-safe. INVALID_ARGUMENT for
// objects that do not link.
absl::StatusOr<std::unique_ptr<LinkedCode>> LinkObjects(absl::Span<const absl::string_view> objects,
                                                        absl::string_view entry_symbol);

}  // namespace acceld::kernels::cpu
