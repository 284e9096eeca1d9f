#include "tests/support/cuda_host_module.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/cuda/emit/device_code.h"
#include "kernels/cuda/emit/scalar_text.h"
#include "tests/support/daemon/process.h"
#include "tests/support/host_compiler.h"

namespace acceld::testing {
namespace {

// Of one file: few enough for several compilers to share the work, many enough that what stands
// before them costs little.
constexpr size_t kKernelsPerFile = 100;

std::string NameOf(size_t index) { return absl::StrCat("kernel", index); }

// The kernel under a unique name, and a function that launches it.
std::string TextOf(const kernels::Kernel& kernel, size_t index,
                   const kernels::cuda::WorkDivision& sharing, kernels::cuda::CudaKernel& printed) {
  kernels::Kernel named = kernel;
  named.name = NameOf(index);
  printed = kernels::cuda::PrintKernel(named, sharing);
  std::vector<std::string> arguments;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    arguments.push_back(absl::StrCat("(", kernels::cuda::RegisterType(kernel.buffers[i].dtype),
                                     "*)buffers[", i, "]"));
  }
  if (printed.polls) arguments.push_back("cancelled");
  return absl::StrCat(printed.source, "extern \"C\" void run_", named.name,
                      "(char* const* buffers, i64 blocks, int threads, bool has_barriers, ",
                      "const volatile int* cancelled) {\n  cuda_on_host::Launch(blocks, threads, "
                      "has_barriers, [&] { ",
                      named.name, "(", absl::StrJoin(arguments, ", "), "); });\n}\n");
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaHostModule>> CudaHostModule::Compile(
    const std::vector<const kernels::Kernel*>& kernels,
    const kernels::cuda::WorkDivision& sharing) {
  const TempDir folder;
  auto module = std::make_unique<CudaHostModule>();
  module->kernels_.resize(kernels.size());
  const size_t files = (kernels.size() + kKernelsPerFile - 1) / kKernelsPerFile;
  const auto path = [&folder](size_t file) { return absl::StrCat(folder.path(), "/", file); };
  for (size_t file = 0; file < files; ++file) {
    std::ofstream out(path(file) + ".cc");
    out << "#include \"tests/support/cuda_on_host.h\"\n" << kernels::cuda::ModulePrelude();
    const size_t end = std::min(kernels.size(), (file + 1) * kKernelsPerFile);
    for (size_t i = file * kKernelsPerFile; i < end; ++i) {
      out << TextOf(*kernels[i], i, sharing, module->kernels_[i].printed);
    }
  }
  std::vector<absl::Status> results(files);
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (size_t file; (file = next.fetch_add(1)) < files;) {
        results[file] = CompileForHost(path(file) + ".cc", path(file) + ".so");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t file = 0; file < files; ++file) {
    ACCELD_RETURN_IF_ERROR(results[file]);
    void* const library = dlopen((path(file) + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return absl::InternalError(dlerror());
    module->libraries_.push_back(library);
    const size_t end = std::min(kernels.size(), (file + 1) * kKernelsPerFile);
    for (size_t i = file * kKernelsPerFile; i < end; ++i) {
      module->kernels_[i].entry =
          reinterpret_cast<Entry>(dlsym(library, absl::StrCat("run_", NameOf(i)).c_str()));
    }
  }
  return module;
}

CudaHostModule::~CudaHostModule() {
  for (void* library : libraries_) dlclose(library);
}

void CudaHostModule::Run(size_t index, absl::Span<char* const> buffers) const {
  const Loaded& loaded = kernels_[index];
  const int cancelled = 0;
  loaded.entry(buffers.data(), loaded.printed.blocks, loaded.printed.threads,
               loaded.printed.has_barriers, &cancelled);
}

}  // namespace acceld::testing
