// Fills a folder of a daemon's cache with entries that no program has, for growth_cache.py:
//
//   fill_cache FOLDER COUNT
//
// The folder may be of a daemon that was started before, whose key signs the entries then.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/digest.h"
#include "server/cache/disk_tier.h"

namespace acceld::cache {
namespace {

// About the size of what a small program is compiled to.
constexpr size_t kPayloadBytes = 8 << 10;

int Fill(const std::string& folder, int64_t count) {
  auto tier = DiskTier::Open(folder, {int64_t{1} << 40, 100});
  if (!tier.ok()) {
    std::cerr << tier.status() << "\n";
    return EXIT_FAILURE;
  }
  (*tier)->WaitForIndex();
  const std::string payload(kPayloadBytes, 'x');
  for (auto i = static_cast<int64_t>((*tier)->stats().entries); i < count; ++i) {
    const std::string name = absl::StrCat("filler_", i);
    (*tier)->Store({.key = DigestOf(name),
                    .fingerprint = DigestOf(absl::StrCat("fingerprint of ", name)),
                    .build_id = "filler",
                    .architecture = "none",
                    .program_name = name,
                    .signature = "(tensor<64x64xf32>, tensor<64xf32>) -> (tensor<64x64xf32>)",
                    .compile_ms = 10},
                   payload, /*owner=*/"");
  }
  std::cout << (*tier)->stats().entries << " entries\n";
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace acceld::cache

int main(int argc, char** argv) {
  int64_t count = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[2], &count)) {
    std::cerr << "usage: fill_cache FOLDER COUNT\n";
    return EXIT_FAILURE;
  }
  return acceld::cache::Fill(argv[1], count);
}
