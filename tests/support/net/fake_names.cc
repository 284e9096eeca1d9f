#include "tests/support/net/fake_names.h"

#include <dlfcn.h>
#include <netdb.h>

#include <map>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "common/check.h"
#include "common/threads/mutex.h"

namespace acceld::testing {
namespace {

struct Name {
  std::vector<std::string> ips;
  std::chrono::milliseconds delay{0};
};

struct Names {
  Mutex mutex;
  std::map<std::string, Name> known ABSL_GUARDED_BY(mutex);
};

Names& AllNames() {
  // Never destroyed: threads may look names up while the process ends.
  static Names& names = *new Names;
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
  SetSlowName(name, std::move(ips), std::chrono::milliseconds(0));
}

void SetSlowName(const std::string& name, std::vector<std::string> ips,
                 std::chrono::milliseconds delay) {
  MutexLock lock(AllNames().mutex);
  AllNames().known[name] = {std::move(ips), delay};
}

}  // namespace acceld::testing

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  using namespace acceld::testing;
  // No test asks the network.
  if (node != nullptr && absl::EndsWith(node, ".invalid")) return EAI_NONAME;
  Name name;
  {
    acceld::MutexLock lock(AllNames().mutex);
    const auto found = AllNames().known.find(node == nullptr ? "" : node);
    if (found != AllNames().known.end()) name = found->second;
  }
  if (name.ips.empty()) return Real()(node, service, hints, result);
  if (hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0) return EAI_NONAME;
  std::this_thread::sleep_for(name.delay);
  addrinfo** end = result;
  for (const std::string& ip : name.ips) {
    // The C library's freeaddrinfo frees the members of a list one by one.
    if (const int error = Real()(ip.c_str(), service, hints, end); error != 0) return error;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return 0;
}
