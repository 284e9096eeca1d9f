#include "tests/support/fake_names.h"

#include <dlfcn.h>
#include <netdb.h>

#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "common/check.h"
#include "common/mutex.h"

namespace acceld::testing {
namespace {

struct Names {
  Mutex mutex;
  std::map<std::string, std::vector<std::string>> ips ABSL_GUARDED_BY(mutex);
};

Names& AllNames() {
  static Names names;
  return names;
}

using GetAddrInfo = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

GetAddrInfo Real() {
  static const auto real = reinterpret_cast<GetAddrInfo>(dlsym(RTLD_NEXT, "getaddrinfo"));
  ACCELD_CHECK(real != nullptr);
  return real;
}

}  // namespace

void SetName(const std::string& name, std::vector<std::string> ips) {
  MutexLock lock(AllNames().mutex);
  AllNames().ips[name] = std::move(ips);
}

}  // namespace acceld::testing

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  using namespace acceld::testing;
  // No test asks the network.
  if (node != nullptr && absl::EndsWith(node, ".invalid")) return EAI_NONAME;
  std::vector<std::string> ips;
  {
    acceld::MutexLock lock(AllNames().mutex);
    const auto found = AllNames().ips.find(node == nullptr ? "" : node);
    if (found != AllNames().ips.end()) ips = found->second;
  }
  if (ips.empty()) return Real()(node, service, hints, result);
  addrinfo** end = result;
  for (const std::string& ip : ips) {
    // The C library's freeaddrinfo frees the members of a list one by one.
    if (const int error = Real()(ip.c_str(), service, hints, end); error != 0) return error;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return 0;
}
