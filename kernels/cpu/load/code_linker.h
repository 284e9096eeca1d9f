#pragma once

#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::kernels::cpu {

// Code that is linked into this process and ready to run. Immutable; the destructor unmaps the
// code.
class LinkedCode {
 public:
  virtual ~LinkedCode() = default;
  // The address of the entry function.
  virtual const void* entry() const = 0;
};

// Links objects with LLVM's JITLink, separately from the objects of other calls. An object may
// refer to symbols that objects after it define, and to the run-time symbols (run_time_symbols.h).
// `entry_symbol` is the name of the entry function. Returns INVALID_ARGUMENT if the objects do not
// link. Thread-safe.
//
// The calling thread does all of the work. LLVM's ORC, which orders objects itself, is not used: it
// passes objects from one thread's symbol look-up to another's, and lets code run before the
// functions that it calls are executable.
absl::StatusOr<std::unique_ptr<LinkedCode>> LinkObjects(absl::Span<const absl::string_view> objects,
                                                        absl::string_view entry_symbol);

}  // namespace acceld::kernels::cpu
