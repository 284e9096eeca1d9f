#pragma once

#include <memory>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cpu {

// Code in this process, until destroyed. Immutable.
class LinkedCode {
 public:
  virtual ~LinkedCode() = default;
  virtual const void* entry() const = 0;
};

// Links an object against the run-time symbols with LLVM's ORC, in a name space of its own.
// Thread-safe. INVALID_ARGUMENT for objects that do not link.
absl::StatusOr<std::unique_ptr<LinkedCode>> LinkObject(absl::string_view object,
                                                       absl::string_view entry_symbol);

}  // namespace acceld::kernels::cpu
