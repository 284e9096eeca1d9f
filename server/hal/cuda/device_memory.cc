#include "server/hal/cuda/device_memory.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace acceld::hal::cuda {
namespace {

// The driver rounds sizes up to multiples of this.
constexpr int64_t kAlignment = 512;
constexpr unsigned int kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING

class DeviceMemory final : public BlockSource {
 public:
  explicit DeviceMemory(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~DeviceMemory() override {
    const Driver& driver = context_->driver();
    context_->EnterForRelease();
    if (stream_ != nullptr) driver.cuStreamDestroy_v2(stream_);
    if (pool_ != nullptr) driver.cuMemPoolDestroy(pool_);
  }

  absl::Status Open(const std::vector<int>& devices) {
    const Driver& driver = context_->driver();
    ACCELD_RETURN_IF_ERROR(context_->Enter());
    const CuMemoryPoolProperties properties{.location_id = context_->device().handle};
    const absl::Status pooled =
        context_->Check(driver.cuMemPoolCreate(&pool_, &properties), "cuMemPoolCreate");
    if (pooled.ok()) {
      for (const int device : devices) {
        if (device != context_->device().handle) Allow(device);
      }
    } else {
      // Some devices, for example virtual GPUs, have no memory pools.
      ACCELD_RETURN_IF_ERROR(context_->lost());
      LogInfo("GPU ", context_->device().ordinal,
              ": no memory pool, so that memory is the context's: ", pooled.message());
    }
    return context_->Check(driver.cuStreamCreateWithPriority(&stream_, kNonBlocking, 0),
                           "cuStreamCreateWithPriority");
  }

  int64_t alignment_bytes() const override { return kAlignment; }
  PageSource* pages() override { return nullptr; }
  bool is_host_memory() const override { return false; }

  absl::StatusOr<void*> Allocate(int64_t capacity_bytes) override {
    const Driver& driver = context_->driver();
    ACCELD_RETURN_IF_ERROR(context_->Enter());
    CuPointer address = 0;
    const auto allocate = [&] {
      const auto size = static_cast<size_t>(capacity_bytes);
      return pool_ == nullptr ? driver.cuMemAlloc_v2(&address, size)
                              : driver.cuMemAllocFromPoolAsync(&address, size, pool_, stream_);
    };
    Driver::Result result = allocate();
    if (result == Driver::kOutOfMemory) {
      // Memory that was freed by cuMemFreeAsync is available once the stream has executed the free.
      driver.cuStreamSynchronize(stream_);
      result = allocate();
    }
    ACCELD_RETURN_IF_ERROR(
        context_->Check(result, pool_ == nullptr ? "cuMemAlloc" : "cuMemAllocFromPoolAsync"));
    // The allocation takes effect in the order of this stream, which runs nothing else. The memory
    // is used on other streams, so wait until the allocation has taken effect.
    if (absl::Status status =
            context_->Check(driver.cuStreamSynchronize(stream_), "cuStreamSynchronize");
        !status.ok()) {
      return status;
    }
    return reinterpret_cast<void*>(address);
  }

  void Free(void* address) override {
    const Driver& driver = context_->driver();
    const auto memory = reinterpret_cast<CuPointer>(address);
    context_->EnterForRelease();
    (void)context_->Check(
        pool_ == nullptr ? driver.cuMemFree_v2(memory) : driver.cuMemFreeAsync(memory, stream_),
        "cuMemFree");
  }

  absl::Status Read(const void* from, void* to, int64_t size_bytes) override {
    const Driver& driver = context_->driver();
    ACCELD_RETURN_IF_ERROR(context_->Enter());
    if (size_bytes == 0) return absl::OkStatus();
    ACCELD_RETURN_IF_ERROR(context_->Check(
        driver.cuMemcpyAsync(reinterpret_cast<CuPointer>(to), reinterpret_cast<CuPointer>(from),
                             static_cast<size_t>(size_bytes), stream_),
        "cuMemcpyAsync"));
    return context_->Check(driver.cuStreamSynchronize(stream_), "cuStreamSynchronize");
  }

 private:
  // Permits `device` to access the pool's memory. A failure is not an error, because copies to that
  // device then go through the host.
  void Allow(int device) {
    const Driver& driver = context_->driver();
    int can = 0;
    const CuMemoryAccess access{.location_id = device};
    if (driver.cuDeviceCanAccessPeer(&can, device, context_->device().handle) != 0 || can == 0 ||
        driver.cuMemPoolSetAccess(pool_, &access, 1) != 0) {
      LogInfo("GPU ", context_->device().ordinal, ": device ", device,
              " cannot reach its memory; copies there go by the host");
    }
  }

  const std::shared_ptr<Context> context_;
  CuMemoryPool pool_ = nullptr;  // nullptr if the driver has none for the device
  CuStream stream_ = nullptr;
};

}  // namespace

absl::StatusOr<std::shared_ptr<MemoryPool>> CreateDeviceMemoryPool(std::shared_ptr<Context> context,
                                                                   const std::vector<int>& devices,
                                                                   int64_t limit_bytes,
                                                                   int64_t max_kept_bytes) {
  auto memory = std::make_unique<DeviceMemory>(std::move(context));
  ACCELD_RETURN_IF_ERROR(memory->Open(devices));
  return MemoryPool::Create(std::move(memory), limit_bytes, max_kept_bytes);
}

}  // namespace acceld::hal::cuda
