#include "server/cache/similarity.h"

namespace acceld::cache {

absl::string_view ArgumentsOf(absl::string_view signature) {
  const size_t arrow = signature.find(" -> ");
  return signature.substr(0, arrow);
}

int Similarity(const EntryHeader& a, const EntryHeader& b) {
  const bool same_program = a.fingerprint == b.fingerprint;
  const bool same_name = !a.program_name.empty() && a.program_name == b.program_name;
  if (!same_program && !same_name) return 0;
  int similarity = same_program ? 32 : 16;
  if (ArgumentsOf(a.signature) == ArgumentsOf(b.signature)) similarity += 8;
  if (a.architecture == b.architecture) similarity += 4;
  if (a.build_id == b.build_id) similarity += 2;
  if (a.options == b.options) similarity += 1;
  return similarity;
}

void MostSimilar::Consider(const EntryHeader& entry) {
  const int similarity = Similarity(wanted_, entry);
  if (similarity <= best_similarity_) return;
  best_similarity_ = similarity;
  best_ = entry;
}

}  // namespace acceld::cache
