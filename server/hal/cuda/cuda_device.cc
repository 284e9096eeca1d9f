#include "server/hal/cuda/cuda_device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/device_memory.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/nccl/cuda_gang.h"
#include "server/hal/cuda/streams/cuda_stream.h"

namespace acceld::hal::cuda {
namespace {

class OpenedDevice final : public Device {
 public:
  OpenedDevice(StreamParts parts, std::shared_ptr<const Libraries> libraries,
               std::shared_ptr<Communicators> communicators, const CudaCompiler& compiler)
      : parts_(std::move(parts)),
        libraries_(std::move(libraries)),
        communicators_(std::move(communicators)),
        graph_support_(std::make_shared<const GraphSupport>(parts_.context, compiler.compile,
                                                            compiler.compile_to_ptx)) {}

  std::string kind() const override { return "cuda"; }
  std::string name() const override { return parts_.context->device().name; }
  absl::Status health() const override { return parts_.context->lost(); }
  MemoryStats memory() const override { return parts_.memory->stats(); }
  int concurrent_streams() const override { return parts_.context->driver().connections; }
  LaunchCounts launches() const override {
    return {.graphs = parts_.counters->graphs.load(), .steps = parts_.counters->steps.load()};
  }
  absl::StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t size_bytes) override {
    return parts_.memory->Allocate(size_bytes);
  }
  void ReleaseUnusedMemory() override { parts_.memory->ReleaseUnused(); }
  std::unique_ptr<Stream> CreateStream(absl::string_view name, StreamPriority priority) override {
    return std::make_unique<CudaStream>(
        absl::StrCat("cuda", parts_.context->device().ordinal, "-", name), parts_, priority);
  }
  absl::StatusOr<std::shared_ptr<const Module>> Load(const Executable& executable) override {
    return CudaModule::Load(parts_.context, libraries_, graph_support_, executable, *parts_.memory);
  }
  absl::StatusOr<std::shared_ptr<Gang>> CreateGang(absl::Span<Device* const> devices) override {
    if (devices.empty()) return absl::InvalidArgumentError("a launch on no devices");
    std::vector<std::shared_ptr<Context>> contexts;
    for (const Device* device : devices) {
      if (device->kind() != kind()) {
        return absl::InvalidArgumentError(
            absl::StrCat("a launch on devices of kind ", kind(), " and ", device->kind()));
      }
      const auto* const opened = dynamic_cast<const OpenedDevice*>(device);
      if (opened == nullptr || opened->communicators_ != communicators_) {
        return absl::InvalidArgumentError("a launch on GPUs that were not opened together");
      }
      const std::shared_ptr<Context>& context = opened->parts_.context;
      if (std::find(contexts.begin(), contexts.end(), context) != contexts.end()) {
        return absl::InvalidArgumentError("a launch with several participants on one device");
      }
      contexts.push_back(context);
    }
    return std::make_shared<CudaGang>(communicators_, std::move(contexts));
  }

 private:
  const StreamParts parts_;
  // shared with the modules
  const std::shared_ptr<const Libraries> libraries_;
  const std::shared_ptr<Communicators> communicators_;  // shared with devices opened together
  const std::shared_ptr<const GraphSupport> graph_support_;
};

absl::StatusOr<int64_t> FreeBytes(Context& context) {
  size_t free_bytes = 0, total_bytes = 0;
  ACCELD_RETURN_IF_ERROR(context.Enter());
  ACCELD_RETURN_IF_ERROR(
      context.Check(context.driver().cuMemGetInfo_v2(&free_bytes, &total_bytes), "cuMemGetInfo"));
  return static_cast<int64_t>(free_bytes);
}

// The objects that devices which are opened together share.
struct DeviceGroup {
  std::vector<int> devices;  // the driver's handles
  std::shared_ptr<Communicators> communicators;
  std::shared_ptr<PendingEvents> pending = std::make_shared<PendingEvents>();
  std::shared_ptr<Peers> peers = std::make_shared<Peers>();
  std::shared_ptr<HostWorkspaceBudget> host_workspace = std::make_shared<HostWorkspaceBudget>();
};

template <typename Library>
const Library* IfFound(const absl::StatusOr<Library>& library) {
  return library.ok() ? &*library : nullptr;
}

absl::StatusOr<OpenedCudaDevice> OpenDevice(const Driver& driver, const CudaDevice& device,
                                            const CudaDeviceOptions& options,
                                            const Toolkit& toolkit, const DeviceGroup& group) {
  if (!(options.memory_fraction > 0 && options.memory_fraction <= 1) || options.memory_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "memory of ", options.memory_bytes, " bytes or a fraction of ", options.memory_fraction));
  }
  ACCELD_ASSIGN_OR_RETURN(CudaCompiler compiler, toolkit.find_compiler(device.architecture));
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Context> context, Context::Open(driver, device));
  int64_t memory_bytes = options.memory_bytes;
  if (memory_bytes == 0) {
    ACCELD_ASSIGN_OR_RETURN(const int64_t free_bytes, FreeBytes(*context));
    memory_bytes = static_cast<int64_t>(static_cast<double>(free_bytes) * options.memory_fraction);
  }
  // All freed memory is kept for reuse, because the whole budget is reserved for the daemon.
  ACCELD_ASSIGN_OR_RETURN(
      std::shared_ptr<MemoryPool> pool,
      CreateDeviceMemoryPool(context, group.devices, memory_bytes, memory_bytes));
  ACCELD_ASSIGN_OR_RETURN(
      std::shared_ptr<const Libraries> libraries,
      Libraries::Open(context, IfFound(toolkit.find_cublas_lt()), IfFound(toolkit.find_cudnn()),
                      {.cublas = IfFound(toolkit.find_cublas()),
                       .cufft = IfFound(toolkit.find_cufft()),
                       .cusolver = IfFound(toolkit.find_cusolver())},
                      group.communicators->available(), compiler.compile));
  StreamParts parts{.context = context,
                    .memory = std::move(pool),
                    .fences = std::make_shared<FencePool>(context),
                    .pending = group.pending,
                    .peers = group.peers,
                    .host_workspace = group.host_workspace};
  group.peers->Add(context);
  OpenedCudaDevice opened{.compiler = std::move(compiler),
                          .context = std::move(context),
                          .libraries = libraries,
                          .memory = parts.memory};
  opened.device = std::make_unique<OpenedDevice>(std::move(parts), std::move(libraries),
                                                 group.communicators, opened.compiler);
  return opened;
}

}  // namespace

std::vector<absl::StatusOr<OpenedCudaDevice>> OpenCudaDevices(
    const Driver& driver, const std::vector<CudaDevice>& devices, const CudaDeviceOptions& options,
    const Toolkit& toolkit) {
  DeviceGroup group;
  group.communicators = std::make_shared<Communicators>(toolkit.find_nccl());
  for (const CudaDevice& device : devices) group.devices.push_back(device.handle);
  std::vector<absl::StatusOr<OpenedCudaDevice>> opened;
  for (const CudaDevice& device : devices) {
    absl::StatusOr<OpenedCudaDevice> next = OpenDevice(driver, device, options, toolkit, group);
    if (!next.ok()) {
      next = Annotate(next.status(), absl::StrCat("GPU ", device.ordinal, " (", device.name, ")"));
    }
    opened.push_back(std::move(next));
  }
  return opened;
}

}  // namespace acceld::hal::cuda
