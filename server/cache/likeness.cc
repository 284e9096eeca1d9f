#include "server/cache/likeness.h"

namespace acceld::cache {

absl::string_view ArgumentsOf(absl::string_view signature) {
  const size_t arrow = signature.find(" -> ");
  return signature.substr(0, arrow);
}

int Likeness(const EntryHeader& a, const EntryHeader& b) {
  const bool same_program = a.fingerprint == b.fingerprint;
  const bool same_name = !a.program_name.empty() && a.program_name == b.program_name;
  if (!same_program && !same_name) return 0;
  int likeness = same_program ? 32 : 16;
  if (ArgumentsOf(a.signature) == ArgumentsOf(b.signature)) likeness += 8;
  if (a.architecture == b.architecture) likeness += 4;
  if (a.build_id == b.build_id) likeness += 2;
  if (a.options == b.options) likeness += 1;
  return likeness;
}

void Nearest::Look(const EntryHeader& entry) {
  const int likeness = Likeness(wanted_, entry);
  if (likeness <= likeness_) return;
  likeness_ = likeness;
  best_ = entry;
}

}  // namespace acceld::cache
