#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::ir {

// Checks that the functions of a program and their callers use the same quantized types for the
// values that they pass to each other. This is checked while a program is read, since afterwards
// only the stored integers are left. Thread-compatible.
class QuantizedSignatures {
 public:
  // Declares a function, with the types that the program declares.
  void Declare(const std::string& function, absl::Span<const Type> parameters,
               absl::Span<const Type> results);
  // Notes a call of a function, which may be declared later.
  void Use(const std::string& function, absl::Span<const Type> operands,
           absl::Span<const Type> results);

  // INVALID_ARGUMENT, with the call, if its quantized types are not those of its function. Numbers
  // of values, and types that are not quantized, are not checked.
  absl::Status Check() const;

 private:
  struct Signature {
    std::vector<Type> parameters, results;
  };

  absl::flat_hash_map<std::string, Signature> functions_;  // only those with quantized types
  std::vector<std::pair<std::string, Signature>> calls_;   // only those with quantized types
  absl::flat_hash_set<std::string> other_callees_;         // of calls without quantized types
};

}  // namespace acceld::ir
