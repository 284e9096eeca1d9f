#include "client/pjrt/transfer/buffer.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/dtype.h"
#include "client/pjrt/event.h"
#include "client/pjrt/functions.h"

namespace {

using acceld::pjrt::Fetches;
using acceld::pjrt::HostValue;

// The largest value that is sent in the answer itself.
constexpr size_t kMaxAwaitedBytes = size_t{64} << 10;
// How long to wait for a value that has been computed to arrive; the caller holds Python's global
// interpreter lock meanwhile.
constexpr std::chrono::milliseconds kPatience{100};

acceld::Event CopyWhenHere(std::shared_ptr<const HostValue> value, absl::Span<char> to) {
  const acceld::Event fetched = value->fetched();
  auto promise = std::make_shared<acceld::Promise<acceld::Unit>>();
  acceld::Event copied = promise->future();
  fetched.OnReady(
      [promise, value = std::move(value), to](const absl::StatusOr<acceld::Unit>& done) {
        if (done.ok()) std::memcpy(to.data(), value->data(), to.size());
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

absl::StatusOr<std::shared_ptr<const HostValue>> PJRT_Buffer::FetchToHost() {
  {
    acceld::MutexLock lock(mutex_);
    if (host_value_ != nullptr) return host_value_;
  }
  const auto size_bytes = static_cast<size_t>(type_.size_bytes());
  std::shared_ptr<char[]> bytes(new char[std::max<size_t>(size_bytes, 1)]);
  ACCELD_ASSIGN_OR_RETURN(acceld::Event fetched, BeginFetch({bytes.get(), size_bytes}));
  auto value = std::make_shared<const HostValue>(std::move(bytes), std::move(fetched));
  // If two threads fetch the value, the copy of the first one stays.
  acceld::MutexLock lock(mutex_);
  if (host_value_ == nullptr) host_value_ = std::move(value);
  return host_value_;
}

bool PJRT_Buffer::FetchAhead() {
  const absl::StatusOr<acceld::client::Array> array = this->array();
  if (!array.ok()) return true;
  if (static_cast<size_t>(type_.size_bytes()) > kMaxAwaitedBytes) return array->IsReady();
  const auto value = FetchToHost();
  return !value.ok() || (*value)->fetched().IsReady();
}

bool PJRT_Buffer::IsReadInPlace() {
  if (!device_->is_cpu || static_cast<size_t>(type_.size_bytes()) > kMaxAwaitedBytes) return false;
  {
    acceld::MutexLock lock(mutex_);
    if (is_read_in_place_.has_value()) return *is_read_in_place_;
  }
  const absl::StatusOr<acceld::client::Array> array = this->array();
  const auto value = FetchToHost();
  if (!array.ok() || !value.ok()) return false;
  const acceld::Event& fetched = (*value)->fetched();
  if (!fetched.IsReady() && array->IsReady()) {
    (void)fetched.AwaitUntil(std::chrono::steady_clock::now() + kPatience);
  }
  acceld::MutexLock lock(mutex_);
  if (!is_read_in_place_.has_value()) {
    is_read_in_place_ = (*value)->is_here();
    host_value_ = *value;
  }
  return *is_read_in_place_;
}

std::shared_ptr<const HostValue> PJRT_Buffer::value_in_place() const {
  acceld::MutexLock lock(mutex_);
  return is_read_in_place_.value_or(false) ? host_value_ : nullptr;
}

absl::StatusOr<acceld::Event> PJRT_Buffer::Fetch(absl::Span<char> bytes) {
  std::shared_ptr<const HostValue> ahead;
  {
    acceld::MutexLock lock(mutex_);
    ahead = host_value_;
    // The value is not needed again, because JAX keeps what it has fetched.
    if (!is_read_in_place_.value_or(false)) host_value_ = nullptr;
  }
  if (ahead == nullptr) return BeginFetch(bytes);
  ACCELD_RETURN_IF_ERROR(array().status());
  return CopyWhenHere(std::move(ahead), bytes);
}

absl::StatusOr<acceld::Event> PJRT_Buffer::BeginFetch(absl::Span<char> bytes) {
  ACCELD_ASSIGN_OR_RETURN(const acceld::client::Array array, this->array());
  std::shared_ptr<Fetches> fetches;
  {
    acceld::MutexLock lock(mutex_);
    if (fetches_ == nullptr) fetches_ = std::make_shared<Fetches>();
    fetches = fetches_;
  }
  fetches->Begin(array);
  const acceld::client::WeakArray weak(array);
  // A caller that fetches a small array waits for it next.
  const acceld::Event fetched =
      bytes.size() <= kMaxAwaitedBytes ? weak.FetchIntoPolling(bytes) : weak.FetchIntoAsync(bytes);
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

// Returns the value that is read in place; it is valid as long as the buffer.
absl::StatusOr<const HostValue*> ValueHere(const PJRT_Buffer& buffer) {
  const HostValue* const value = buffer.value_in_place().get();
  if (value != nullptr) return value;
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

// JAX calls this before it reads a value, and reads the value in place if this returns true.
absl::Status Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = !IsForkedChild() && args.buffer->IsReadInPlace();
  return absl::OkStatus();
}

absl::Status Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  if (args.buffer->value_in_place() != nullptr) {
    args.event = CompletedEvent(absl::OkStatus());
    return absl::OkStatus();
  }
  const absl::Status not_forked = CheckNotForked();
  absl::StatusOr<client::Array> array =
      not_forked.ok() ? args.buffer->array() : absl::StatusOr<client::Array>(not_forked);
  args.event =
      array.ok() ? new PJRT_Event{client::WeakArray(*array)} : CompletedEvent(array.status());
  return absl::OkStatus();
}

// Returns the address of the PJRT_Buffer, not that of the value. JAX compares these addresses only
// to tell arrays apart.
absl::Status Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  ACCELD_RETURN_IF_ERROR(args.buffer->array().status());
  args.buffer_pointer = reinterpret_cast<uintptr_t>(args.buffer);
  return absl::OkStatus();
}

// A reader of the value in place also holds the buffer, so references need not be counted.
absl::Status Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  return ValueHere(*args.buffer).status();
}

absl::Status Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args&) {
  return absl::OkStatus();
}

absl::Status Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(const HostValue* const value, ValueHere(*args.buffer));
  args.device_memory_ptr = const_cast<char*>(value->data());
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
