#pragma once

#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "server/cache/entry.h"

namespace acceld::cache {

// The arguments of a signature: "(tensor<2xf32>)" of "(tensor<2xf32>) -> tensor<2xf32>".
absl::string_view ArgumentsOf(absl::string_view signature);

// How much of what their keys are made of two entries have in common; 0 when not even the program,
// or its name. The program counts most, then arguments, architecture, build and options.
int Likeness(const EntryHeader& a, const EntryHeader& b);

// Finds the one of some entries that is most like a wanted one. Thread-compatible.
class Nearest {
 public:
  explicit Nearest(EntryHeader wanted) : wanted_(std::move(wanted)) {}

  void Look(const EntryHeader& entry);
  // nullopt when none is like it.
  absl::optional<EntryHeader> Take() { return std::exchange(best_, absl::nullopt); }

 private:
  EntryHeader wanted_;
  absl::optional<EntryHeader> best_;
  int likeness_ = 0;
};

}  // namespace acceld::cache
