#include "client/pjrt/extensions/acceld.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/dtype.h"
#include "client/pjrt/error.h"
#include "client/pjrt/run/host_callbacks.h"
#include "client/pjrt/run/thread_options.h"
#include "client/pjrt/transfer/buffer.h"

namespace acceld::pjrt {
namespace {

absl::Status Publish(const PJRT_Buffer& buffer, const std::string& name,
                     client::PublishOptions options) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(const client::Array array, buffer.array());
  return buffer.device()->client->session->Publish(array, name, options);
}

absl::StatusOr<int> DeviceOf(const PJRT_Client& client, const client::Array& array) {
  for (const auto& device : client.devices) {
    if (device->daemon_id == array.device()) return device->description.id;
  }
  return absl::InternalError(absl::StrCat("no device ", array.device()));
}

absl::Status Open(const PJRT_Client& client, const std::string& name, PJRT_Buffer_Type& type,
                  absl::Span<int64_t> dims, size_t& num_dims, int& device) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(client::Array array, client.session->Open(name));
  const ir::Dims& shape = array.shape();
  if (shape.size() > dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat("'", name, "' has ", shape.size(),
                                                   " dimensions; there is room for ", dims.size()));
  }
  ACCELD_ASSIGN_OR_RETURN(device, DeviceOf(client, array));
  type = ToPjrt(array.dtype());
  std::copy(shape.begin(), shape.end(), dims.begin());
  num_dims = shape.size();
  CurrentThreadOptions().next_array = std::move(array);
  return absl::OkStatus();
}

int64_t SetTimeoutMs(int64_t timeout_ms) {
  auto& timeout = CurrentThreadOptions().timeout;
  const int64_t before = timeout.has_value() ? timeout->count() : -1;
  timeout.reset();
  if (timeout_ms >= 0) timeout.emplace(timeout_ms);
  return before;
}

absl::optional<client::Priority> PriorityOf(int number) {
  switch (number) {
    case Acceld_Priority_Batch:
      return client::Priority::kBatch;
    case Acceld_Priority_Normal:
      return client::Priority::kNormal;
    case Acceld_Priority_Interactive:
      return client::Priority::kInteractive;
    default:
      return absl::nullopt;
  }
}

int NumberOf(const absl::optional<client::Priority>& priority) {
  if (!priority.has_value()) return -1;
  switch (*priority) {
    case client::Priority::kBatch:
      return Acceld_Priority_Batch;
    case client::Priority::kNormal:
      return Acceld_Priority_Normal;
    case client::Priority::kInteractive:
      return Acceld_Priority_Interactive;
  }
  return -1;
}

int SetPriority(int priority) {
  return NumberOf(std::exchange(CurrentThreadOptions().priority, PriorityOf(priority)));
}

}  // namespace

PJRT_Extension_Base* AcceldExtension(PJRT_Extension_Base* next) {
  static Acceld_Extension extension = {
      .base = {.struct_size = sizeof(Acceld_Extension),
               .type = static_cast<PJRT_Extension_Type>(PJRT_Extension_Type_Acceld),
               .next = next},
      .publish =
          [](PJRT_Buffer* buffer, const char* name, size_t name_size, bool for_everyone,
             bool replace) {
            return ToError(Publish(*buffer, std::string(name, name_size),
                                   {.for_everyone = for_everyone, .replace = replace}));
          },
      .open =
          [](PJRT_Client* client, const char* name, size_t name_size, PJRT_Buffer_Type* type,
             int64_t* dims, size_t max_dims, size_t* num_dims, int* device) {
            return ToError(Open(*client, std::string(name, name_size), *type,
                                absl::MakeSpan(dims, max_dims), *num_dims, *device));
          },
      .fetch_ahead = [](PJRT_Buffer* buffer) { return IsForkedChild() || buffer->FetchAhead(); },
      .drop =
          [](PJRT_Client* client, const char* name, size_t name_size) {
            return ToError(client->session->DropName(std::string(name, name_size)));
          },
      .set_timeout_ms = &SetTimeoutMs,
      .set_priority = &SetPriority,
      .client = &LastClient,
      .set_python_callback = &SetPythonCallback,
      .take_released_callbacks =
          [](uint64_t* ids, size_t room) {
            const std::vector<uint64_t> released = TakeReleasedCallbacks(room);
            std::copy(released.begin(), released.end(), ids);
            return released.size();
          }};
  return &extension.base;
}

}  // namespace acceld::pjrt
