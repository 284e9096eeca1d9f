#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::ir {

// Whether the functions of a program and those who call them mean the same reals by the integers
// that pass between them; of a program that was read, the integers alone are left.
// Thread-compatible.
class QuantizedSignatures {
 public:
  // A function, with the types that the program declares.
  void Declare(const std::string& function, absl::Span<const Type> parameters,
               absl::Span<const Type> results);
  // A call of a function, which may be declared later.
  void Use(const std::string& function, absl::Span<const Type> operands,
           absl::Span<const Type> results);

  // INVALID_ARGUMENT names a call whose quantized types are not those of its function. Counts of
  // values and types of what is stored are not looked at.
  absl::Status Check() const;

 private:
  struct Signature {
    std::vector<Type> parameters, results;
  };

  absl::flat_hash_map<std::string, Signature> functions_;  // those with quantized types
  std::vector<std::pair<std::string, Signature>> calls_;   // the same
  absl::flat_hash_set<std::string> other_callees_;         // of calls without any
};

}  // namespace acceld::ir
