#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/crypto/digest.h"
#include "kernels/cpu/cpu_compiler.h"
#include "kernels/cpu/support_abi.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace acceld::kernels::cpu {

CpuTarget CpuTarget::Host() {
  CpuTarget target;
  target.cpu = std::string(llvm::sys::getHostCPUName());
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.push_back(absl::StrCat(feature.getValue() ? "+" : "-", feature.getKey().str()));
  }
  std::sort(features.begin(), features.end());
#if defined(__aarch64__)
  // The passes over generated code count the elements of vectors, which those of SVE do not tell.
  // LLVM takes the last of several words about a feature.
  features.push_back("-sve");
#endif
  target.features = absl::StrJoin(features, ",");
  return target;
}

std::string CpuTarget::ToString() const {
  return absl::StrCat(llvm::sys::getProcessTriple(), "-", cpu, "-",
                      DigestOf(features).ToHex().substr(0, 12), "-abi", kSupportAbiVersion);
}

}  // namespace acceld::kernels::cpu
