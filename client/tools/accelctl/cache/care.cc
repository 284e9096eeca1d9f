#include "client/tools/accelctl/cache/care.h"

#include <cstdint>
#include <iostream>

#include "absl/strings/str_format.h"
#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {

absl::StatusOr<int> VerifyCache(client::Admin& admin, bool remote) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::CacheCheck> checks, admin.VerifyCache(remote));
  uint64_t bad = 0;
  for (const client::CacheCheck& check : checks) {
    std::cout << absl::StreamFormat("%-7s %d good (%s), %d bad\n", check.tier, check.entries,
                                    SizeText(check.bytes), check.bad);
    bad += check.bad;
  }
  return bad == 0 ? 0 : 1;
}

absl::Status PurgeCache(client::Admin& admin, const std::vector<std::string>& keys, bool remote) {
  ACCELD_ASSIGN_OR_RETURN(const client::CacheRemoved removed, admin.PurgeCache(keys, remote));
  std::cout << absl::StreamFormat("removed %d from memory, %d from disk", removed.memory,
                                  removed.disk);
  if (remote) std::cout << absl::StreamFormat(", %d remote", removed.remote);
  std::cout << "\n";
  return absl::OkStatus();
}

}  // namespace acceld::tools
