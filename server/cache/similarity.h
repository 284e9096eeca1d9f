#pragma once

#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "server/cache/entry.h"

namespace acceld::cache {

// Returns the arguments of a signature: "(tensor<2xf32>)" of "(tensor<2xf32>) -> tensor<2xf32>".
absl::string_view ArgumentsOf(absl::string_view signature);

// Returns how similar two entries are in what their keys depend on; 0 when neither the program nor
// its name is the same. The program counts most, then arguments, architecture, build and options.
int Similarity(const EntryHeader& a, const EntryHeader& b);

// Finds, among the entries passed to Consider, the one most similar to a wanted entry.
// Thread-compatible.
class MostSimilar {
 public:
  explicit MostSimilar(EntryHeader wanted) : wanted_(std::move(wanted)) {}

  // Considers one more entry.
  void Consider(const EntryHeader& entry);
  // Returns the most similar entry so far; nullopt when none is similar. To be called once.
  absl::optional<EntryHeader> Take() { return std::exchange(best_, absl::nullopt); }

 private:
  EntryHeader wanted_;
  absl::optional<EntryHeader> best_;
  int best_similarity_ = 0;
};

}  // namespace acceld::cache
