#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/pjrt/compile/layout.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/dtype.h"
#include "client/pjrt/event.h"
#include "client/pjrt/functions.h"
#include "client/pjrt/run/thread_options.h"
#include "client/pjrt/transfer/buffer.h"
#include "client/pjrt/transfer/host_copy.h"

// Copies of arrays from host memory to a device and back.
namespace acceld::pjrt {
namespace {

using client::Array;

// Arrays of up to this size are sent in commands.
constexpr int64_t kMaxCopiedBytes = int64_t{64} << 10;

absl::StatusOr<ir::TensorType> TypeOf(const PJRT_Client_BufferFromHostBuffer_Args& args) {
  ir::TensorType type;
  ACCELD_ASSIGN_OR_RETURN(type.dtype, FromPjrt(args.type));
  type.dims.assign(args.dims, args.dims + args.num_dims);
  ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
  if (args.num_byte_strides != 0 && args.num_byte_strides != args.num_dims) {
    return absl::InvalidArgumentError(
        absl::StrCat(args.num_byte_strides, " strides for ", type.ToString()));
  }
  return type;
}

// Uploads a copy of host memory, for memory that must be reordered or normalized first, or is only
// valid during the call.
absl::StatusOr<Array> UploadCopy(PJRT_Client& client, const PJRT_Device& device,
                                 const ir::TensorType& type, const char* data,
                                 absl::Span<const int64_t> byte_strides) {
  auto bytes = std::make_shared<std::string>();
  bytes->resize(static_cast<size_t>(type.size_bytes()));
  if (byte_strides.empty()) {
    std::memcpy(bytes->data(), data, bytes->size());
  } else {
    Gather(type, data, byte_strides, bytes->data());
  }
  Normalize(type.dtype, absl::MakeSpan(bytes->data(), bytes->size()));
  const absl::string_view view = *bytes;
  return client.session->UploadShared(type, view, [bytes = std::move(bytes)] {}, device.daemon_id);
}

// Uploads host memory without copying it; `done` completes when the memory may be freed.
absl::StatusOr<Array> UploadInPlace(PJRT_Client& client, const PJRT_Device& device,
                                    const ir::TensorType& type, absl::string_view bytes,
                                    acceld::Event& done) {
  auto promise = std::make_shared<Promise<Unit>>();
  done = promise->future();
  return client.session->UploadShared(
      type, bytes, [promise] { promise->Set(Unit{}); }, device.daemon_id);
}

// Fetches into a temporary buffer, from which `take` copies what it needs.
absl::StatusOr<PJRT_Event*> FetchThrough(PJRT_Buffer& buffer,
                                         std::function<void(const std::string&)> take) {
  auto bytes = std::make_shared<std::string>();
  bytes->resize(static_cast<size_t>(buffer.type().size_bytes()));
  ACCELD_ASSIGN_OR_RETURN(const acceld::Event fetched,
                          buffer.Fetch(absl::MakeSpan(bytes->data(), bytes->size())));
  auto promise = std::make_shared<Promise<Unit>>();
  auto* const event = new PJRT_Event{promise->future()};
  fetched.OnReady([promise, bytes, take = std::move(take)](const absl::StatusOr<Unit>& done) {
    if (done.ok()) take(*bytes);
    promise->Set(done);
  });
  return event;
}

}  // namespace

absl::Status Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(const ir::TensorType type, TypeOf(args));
  if (!IsRowMajorLayout(args.device_layout, args.num_dims)) {
    return absl::UnimplementedError("arrays of acceld are row-major; another layout was asked for");
  }
  PJRT_Device& device = *args.client->Choose(args.device, args.memory);
  if (Array opened = std::exchange(CurrentThreadOptions().next_array, Array());
      opened.valid() && opened.type() == type && opened.device() == device.daemon_id) {
    args.buffer = new PJRT_Buffer(std::move(opened), &device);
    args.done_with_host_buffer = CompletedEvent(absl::OkStatus());
    return absl::OkStatus();
  }
  const auto* const data = static_cast<const char*>(args.data);
  const auto size_bytes = static_cast<size_t>(type.size_bytes());
  absl::Span<const int64_t> strides(args.byte_strides, args.num_byte_strides);
  if (strides.empty() || IsRowMajor(type, strides)) strides = {};
  const bool as_is = strides.empty() && !NeedsNormalizing(type.dtype, data, size_bytes);
  const bool only_now =
      args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  absl::StatusOr<Array> array = Array();
  acceld::Event done = absl::StatusOr<Unit>(Unit{});
  if (as_is && type.size_bytes() <= kMaxCopiedBytes) {
    array =
        args.client->session->Upload(type, absl::string_view(data, size_bytes), device.daemon_id);
  } else if (as_is && !only_now) {
    array = UploadInPlace(*args.client, device, type, absl::string_view(data, size_bytes), done);
  } else {
    array = UploadCopy(*args.client, device, type, data, strides);
  }
  ACCELD_RETURN_IF_ERROR(array.status());
  args.buffer = new PJRT_Buffer(*std::move(array), &device);
  args.done_with_host_buffer = new PJRT_Event{std::move(done)};
  return absl::OkStatus();
}

absl::Status Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const ir::TensorType& type = args.src->type();
  const auto size_bytes = static_cast<size_t>(type.size_bytes());
  if (args.dst == nullptr) {
    args.dst_size = size_bytes;
    return absl::OkStatus();
  }
  if (args.dst_size < size_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(type.ToString(), " has ", size_bytes,
                                                   " bytes; there is room for ", args.dst_size));
  }
  ir::Dims strides;
  if (args.host_layout != nullptr) {
    ACCELD_ASSIGN_OR_RETURN(strides, StridesOf(*args.host_layout, type));
  }
  auto* const dst = static_cast<char*>(args.dst);
  if (args.host_layout == nullptr || IsRowMajor(type, strides)) {
    ACCELD_ASSIGN_OR_RETURN(acceld::Event fetched,
                            args.src->Fetch(absl::MakeSpan(dst, size_bytes)));
    args.event = new PJRT_Event{std::move(fetched)};
    return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(args.event,
                          FetchThrough(*args.src, [type, strides, dst](const std::string& bytes) {
                            Scatter(type, bytes.data(), dst, strides);
                          }));
  return absl::OkStatus();
}

absl::Status Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const int64_t size_bytes = args.buffer->type().size_bytes();
  const int64_t offset = args.offset, count = args.transfer_size;
  if (offset < 0 || count < 0 || count > size_bytes || offset > size_bytes - count) {
    return absl::InvalidArgumentError(absl::StrCat(count, " bytes from byte ", offset, " of ",
                                                   args.buffer->type().ToString(), ", which has ",
                                                   size_bytes));
  }
  ACCELD_ASSIGN_OR_RETURN(
      args.event,
      FetchThrough(*args.buffer, [offset, count, dst = args.dst](const std::string& bytes) {
        std::memcpy(dst, bytes.data() + offset, static_cast<size_t>(count));
      }));
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
