#include "tests/support/fake_cuda/host_code.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/threads/mutex.h"
#include "tests/support/daemon/process.h"
#include "tests/support/host_compiler.h"

namespace acceld::testing {
namespace {

struct Found {
  std::string name;
  bool has_barriers;
};

// The kernels of a module, as the printer writes them.
std::vector<Found> KernelsOf(const std::string& source) {
  static const std::regex head(
      R"(extern "C" __global__ void __launch_bounds__\(\d+\)\s+(\w+)\(([^)]*)\) \{)");
  std::vector<Found> found;
  auto it = std::sregex_iterator(source.begin(), source.end(), head);
  for (const auto end = std::sregex_iterator(); it != end;) {
    const std::smatch match = *it++;
    const auto begins = static_cast<size_t>(match.position());
    const size_t ends = it == end ? source.size() : static_cast<size_t>(it->position());
    const absl::string_view text = absl::string_view(source).substr(begins, ends - begins);
    found.push_back({.name = match[1],
                     // The last one stands for calls of code in which threads wait.
                     .has_barriers = absl::StrContains(text, "__shared__") ||
                                     absl::StrContains(text, "__syncthreads") ||
                                     absl::StrContains(text, "const DigitSort sort{")});
  }
  return found;
}

// A function that takes any kernel's parameters as one array.
std::string LauncherOf(const Found& kernel) {
  return absl::StrCat(
      "extern \"C\" void run_", kernel.name,
      "(void* const* parameters, i64 blocks, int threads) {\n  cuda_on_host::Launch(blocks, "
      "threads, ",
      kernel.has_barriers ? "true" : "false", ", [&] { cuda_on_host_call(", kernel.name,
      ", parameters); });\n}\nextern \"C\" std::vector<size_t> sizes_", kernel.name,
      "() { return cuda_on_host_sizes(", kernel.name, "); }\n");
}

constexpr char kCall[] = R"(
#include <utility>
template <typename... T, size_t... I>
void cuda_on_host_call(void (*kernel)(T...), void* const* parameters, std::index_sequence<I...>) {
  kernel(*(T*)parameters[I]...);
}
template <typename... T>
void cuda_on_host_call(void (*kernel)(T...), void* const* parameters) {
  cuda_on_host_call(kernel, parameters, std::index_sequence_for<T...>());
}
template <typename... T>
std::vector<size_t> cuda_on_host_sizes(void (*)(T...)) {
  return {sizeof(T)...};
}
)";

}  // namespace

absl::StatusOr<std::shared_ptr<const HostCode>> HostCode::Compile(const std::string& source) {
  static Mutex mutex;
  static auto& compiled =
      *new absl::flat_hash_map<std::string, std::shared_ptr<const HostCode>>();  // Never freed.
  MutexLock lock(mutex);
  std::shared_ptr<const HostCode>& known = compiled[source];
  if (known != nullptr) return known;

  const std::vector<Found> kernels = KernelsOf(source);
  const TempDir folder;
  const std::string path = absl::StrCat(folder.path(), "/module");
  {
    std::ofstream out(path + ".cc");
    out << "#include \"tests/support/cuda_on_host.h\"\n" << source << kCall;
    for (const Found& kernel : kernels) out << LauncherOf(kernel);
  }
  ACCELD_RETURN_IF_ERROR(CompileForHost(path + ".cc", path + ".so"));
  auto code = std::make_shared<HostCode>();
  code->library_ = dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (code->library_ == nullptr) return absl::InternalError(dlerror());
  for (const Found& kernel : kernels) {
    using Sizes = std::vector<size_t> (*)();
    const auto sizes =
        reinterpret_cast<Sizes>(dlsym(code->library_, ("sizes_" + kernel.name).c_str()));
    code->kernels_.push_back({.name = kernel.name,
                              .parameters = sizes(),
                              .run = reinterpret_cast<decltype(Kernel::run)>(
                                  dlsym(code->library_, ("run_" + kernel.name).c_str()))});
  }
  known = std::move(code);
  return known;
}

HostCode::~HostCode() {
  if (library_ != nullptr) dlclose(library_);
}

std::vector<std::string> HostCode::Kernel::Take(void** values) const {
  std::vector<std::string> taken;
  for (size_t i = 0; i < parameters.size(); ++i) {
    taken.emplace_back(static_cast<const char*>(values[i]), parameters[i]);
  }
  return taken;
}

void HostCode::Kernel::Run(const std::vector<std::string>& values, int64_t blocks,
                           int threads) const {
  // As aligned as anything is.
  std::vector<std::unique_ptr<char[]>> copies;
  std::vector<void*> addresses;
  for (const std::string& value : values) {
    copies.emplace_back(new char[value.size()]);
    std::copy(value.begin(), value.end(), copies.back().get());
    addresses.push_back(copies.back().get());
  }
  run(addresses.data(), blocks, threads);
}

const HostCode::Kernel* HostCode::Find(const std::string& name) const {
  const auto it = std::find_if(kernels_.begin(), kernels_.end(),
                               [&](const Kernel& kernel) { return kernel.name == name; });
  return it == kernels_.end() ? nullptr : &*it;
}

}  // namespace acceld::testing
