#include "client/pjrt/buffer.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/pjrt/client.h"
#include "client/pjrt/dtype.h"
#include "client/pjrt/event.h"
#include "client/pjrt/fork.h"
#include "client/pjrt/functions.h"

namespace {

// What comes in the answer itself.
constexpr size_t kMaxAwaitedBytes = size_t{64} << 10;

// Copies what `fetched` has brought to `from`, to `to`, when it has.
acceld::Event CopyWhenFetched(const acceld::Event& fetched, std::shared_ptr<std::string> from,
                              absl::Span<char> to) {
  auto promise = std::make_shared<acceld::Promise<acceld::Unit>>();
  acceld::Event copied = promise->future();
  fetched.OnReady([promise, from = std::move(from), to](const absl::StatusOr<acceld::Unit>& done) {
    if (done.ok()) std::memcpy(to.data(), from->data(), from->size());
    promise->Set(done);
  });
  return copied;
}

}  // namespace

PJRT_Buffer::PJRT_Buffer(acceld::client::Array array, PJRT_Device* device)
    : type_(array.type()), device_(device), array_(std::move(array)) {
  device_->memory_use.Add(type_.size_bytes());
}

PJRT_Buffer::PJRT_Buffer(absl::Status error, acceld::ir::TensorType type, PJRT_Device* device)
    : type_(std::move(type)), device_(device), array_(std::move(error)) {}

PJRT_Buffer::~PJRT_Buffer() { Delete(); }

absl::StatusOr<acceld::client::Array> PJRT_Buffer::array() const {
  acceld::MutexLock lock(mutex_);
  if (!array_.ok() || array_->valid()) return array_;
  return absl::InvalidArgumentError(
      absl::StrCat("the array ", type_.ToString(), " has been deleted or donated"));
}

bool PJRT_Buffer::IsDeleted() const {
  acceld::MutexLock lock(mutex_);
  return array_.ok() && !array_->valid();
}

void PJRT_Buffer::Delete() {
  absl::StatusOr<acceld::client::Array> array = acceld::client::Array();
  {
    acceld::MutexLock lock(mutex_);
    std::swap(array, array_);
  }
  if (array.ok() && array->valid()) device_->memory_use.Remove(type_.size_bytes());
}

bool PJRT_Buffer::FetchAhead() {
  const absl::StatusOr<acceld::client::Array> array = this->array();
  if (!array.ok()) return true;
  const auto size_bytes = static_cast<size_t>(type_.size_bytes());
  if (size_bytes > kMaxAwaitedBytes) return array->IsReady();
  {
    acceld::MutexLock lock(mutex_);
    if (ahead_.fetched.valid()) return ahead_.fetched.IsReady();
  }
  Ahead ahead{.bytes = std::make_shared<std::string>(size_bytes, '\0')};
  const absl::StatusOr<acceld::Event> fetched =
      Fetch(absl::MakeSpan(ahead.bytes->data(), ahead.bytes->size()));
  if (!fetched.ok()) return true;
  // The bytes stay until then, whatever becomes of the buffer.
  fetched->OnReady([bytes = ahead.bytes](const absl::StatusOr<acceld::Unit>&) {});
  ahead.fetched = *fetched;
  acceld::MutexLock lock(mutex_);
  ahead_ = std::move(ahead);
  return fetched->IsReady();
}

absl::StatusOr<acceld::Event> PJRT_Buffer::Fetch(absl::Span<char> bytes) {
  using acceld::pjrt::Fetches;
  ACCELD_ASSIGN_OR_RETURN(const acceld::client::Array array, this->array());
  std::shared_ptr<Fetches> fetches;
  Ahead ahead;
  {
    acceld::MutexLock lock(mutex_);
    std::swap(ahead, ahead_);
    if (fetches_ == nullptr) fetches_ = std::make_shared<Fetches>();
    fetches = fetches_;
  }
  if (ahead.fetched.valid()) return CopyWhenFetched(ahead.fetched, std::move(ahead.bytes), bytes);
  fetches->Begin(array);
  const acceld::client::WeakArray weak(array);
  // Whoever fetches a small array waits for it next.
  const acceld::Event fetched =
      bytes.size() <= kMaxAwaitedBytes ? weak.FetchIntoSoon(bytes) : weak.FetchIntoAsync(bytes);
  if (fetched.IsReady()) {
    fetches->End();
  } else {
    fetched.OnReady([weak = std::weak_ptr<Fetches>(fetches)](const absl::StatusOr<acceld::Unit>&) {
      if (const std::shared_ptr<Fetches> held = weak.lock(); held != nullptr) held->End();
    });
  }
  return fetched;
}

namespace acceld::pjrt {
namespace {

absl::Status NoPointer(const PJRT_Buffer& buffer) {
  return absl::UnimplementedError(absl::StrCat(
      "the array ", buffer.type().ToString(),
      " is in the memory of a daemon, which this process has no address of; fetch it instead"));
}

}  // namespace

absl::Status Buffer_Destroy(PJRT_Buffer_Destroy_Args& args) {
  if (!IsForkedChild()) delete args.buffer;
  return absl::OkStatus();
}

absl::Status Buffer_ElementType(PJRT_Buffer_ElementType_Args& args) {
  args.type = ToPjrt(args.buffer->type().dtype);
  return absl::OkStatus();
}

absl::Status Buffer_Dimensions(PJRT_Buffer_Dimensions_Args& args) {
  args.dims = args.buffer->type().dims.data();
  args.num_dims = args.buffer->type().dims.size();
  return absl::OkStatus();
}

absl::Status Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  args.unpadded_dims = args.buffer->type().dims.data();
  args.num_dims = args.buffer->type().dims.size();
  return absl::OkStatus();
}

absl::Status Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
  return absl::OkStatus();
}

absl::Status Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->type().size_bytes());
  return absl::OkStatus();
}

absl::Status Buffer_Device(PJRT_Buffer_Device_Args& args) {
  args.device = args.buffer->device();
  return absl::OkStatus();
}

absl::Status Buffer_Memory(PJRT_Buffer_Memory_Args& args) {
  args.memory = &args.buffer->device()->memory;
  return absl::OkStatus();
}

absl::Status Buffer_Delete(PJRT_Buffer_Delete_Args& args) {
  if (!IsForkedChild()) args.buffer->Delete();
  return absl::OkStatus();
}

absl::Status Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  args.is_deleted = args.buffer->IsDeleted();
  return absl::OkStatus();
}

// False also for arrays of the daemon's CPU: JAX would otherwise read them in place.
absl::Status Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = false;
  return absl::OkStatus();
}

absl::Status Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  const absl::Status not_forked = CheckNotForked();
  absl::StatusOr<client::Array> array =
      not_forked.ok() ? args.buffer->array() : absl::StatusOr<client::Array>(not_forked);
  args.event =
      array.ok() ? new PJRT_Event{client::WeakArray(*array)} : DecidedEvent(array.status());
  return absl::OkStatus();
}

// The address of the buffer, which tells arrays apart: that is what JAX compares pointers for. It
// is not that of the value.
absl::Status Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  ACCELD_RETURN_IF_ERROR(args.buffer->array().status());
  args.buffer_pointer = reinterpret_cast<uintptr_t>(args.buffer);
  return absl::OkStatus();
}

absl::Status Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  return NoPointer(*args.buffer);
}

absl::Status Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  return NoPointer(*args.buffer);
}

absl::Status Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  return NoPointer(*args.buffer);
}

}  // namespace acceld::pjrt
