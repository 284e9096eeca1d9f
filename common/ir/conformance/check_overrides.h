#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/ir/conformance/checks.h"
#include "common/status.h"

namespace acceld::ir {

// Overrides the rules of the checks of one conformance program.
struct CheckOverride {
  bool skip = false;
  bool nan_equal = false;               // added to the rule of each check
  absl::optional<CheckRule> tolerance;  // replaces the rule of each check
  std::string reason;

  // Returns the rule to use instead of `rule`.
  CheckRule Apply(const CheckRule& rule) const;
};

// A list of overrides by file name, parsed from text. Each line has one entry; empty lines and
// lines that start with '#' are ignored:
//
//   file-name rule[,rule] reason...
//
// The rules are `ulp=40`, `abs=0.01`, `rel=1e-5` (of the value), `rel=1e-6max` (of the largest
// value), `nan_equal` and `skip`. Every entry needs a reason. Thread-compatible.
class CheckOverrides {
 public:
  // INVALID_ARGUMENT, with the file and line, for a line that is not an entry ("overrides.txt:3:
  // ...").
  static absl::StatusOr<CheckOverrides> Parse(absl::string_view text, absl::string_view file_name);

  // Returns the entry of a file, or nullptr. `file_name` is without folders.
  const CheckOverride* Find(absl::string_view file_name) const;
  size_t size() const { return entries_.size(); }

 private:
  absl::flat_hash_map<std::string, CheckOverride> entries_;
};

}  // namespace acceld::ir
