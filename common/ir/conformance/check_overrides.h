#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/ir/conformance/checks.h"
#include "common/status.h"

namespace acceld::ir {

// What stands in for the rules of one conformance program.
struct CheckOverride {
  bool skip = false;
  bool nan_equal = false;               // added to whatever rule holds
  absl::optional<CheckRule> tolerance;  // instead of each check's own rule
  std::string reason;

  CheckRule Apply(const CheckRule& rule) const;
};

// A list of overrides by file name. Text, one entry per line; empty lines and lines that start with
// '#' are comments:
//
//   file-name rule[,rule] reason...
//
// with rules `ulp=40`, `abs=0.01`, `rel=1e-5` (of the value), `rel=1e-6max` (of the largest value),
// `nan_equal` and `skip`. Every entry needs a reason. Thread-compatible.
class CheckOverrides {
 public:
  // INVALID_ARGUMENT names the file and line ("overrides.txt:3: ...").
  static absl::StatusOr<CheckOverrides> Parse(absl::string_view text, absl::string_view file_name);

  // nullptr when there is no entry. `file_name` is without folders.
  const CheckOverride* Find(absl::string_view file_name) const;
  size_t size() const { return entries_.size(); }

 private:
  absl::flat_hash_map<std::string, CheckOverride> entries_;
};

}  // namespace acceld::ir
