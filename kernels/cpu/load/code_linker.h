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

// Links objects with each other and against the run-time symbols with LLVM's ORC, in a name space
// of their own. Thread-safe. INVALID_ARGUMENT for objects that do not link.
absl::StatusOr<std::unique_ptr<LinkedCode>> LinkObjects(absl::Span<const absl::string_view> objects,
                                                        absl::string_view entry_symbol);

}  // namespace acceld::kernels::cpu
