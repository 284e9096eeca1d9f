#include "client/pjrt/extensions/profiler.h"

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/pjrt/abi/profiler.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/entry.h"
#include "client/pjrt/profile/xplane.h"
#include "common/status.h"

struct PLUGIN_Profiler_Error {
  absl::Status status;  // Never OK.
};

// One profiling session; used by one thread at a time.
struct PLUGIN_Profiler {
  std::chrono::steady_clock::time_point begin;
  std::string profile;  // After Stop: a serialized XSpace.
};

namespace acceld::pjrt {
namespace {

// Returns what must be added to a time of the steady clock to get the time since 1970.
int64_t UnixOffsetNs() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch() -
                                    std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::map<uint32_t, std::string> NamesOf(const PJRT_Client& client) {
  std::map<uint32_t, std::string> names;
  for (const client::DeviceInfo& info : client.session->devices()) {
    for (const auto& device : client.devices) {
      if (device->daemon_id == info.id) {
        names[info.id] = absl::StrCat(info.kind, ":", device->ordinal);
      }
    }
  }
  return names;
}

absl::StatusOr<XSpace> Profile(std::chrono::steady_clock::time_point begin) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const PJRT_Client* const client = LastClient();
  if (client == nullptr) return XSpace();
  const std::shared_ptr<client::Client> session = client->session;
  const std::map<uint32_t, std::string> names = NamesOf(*client);
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::TraceSpan> spans, session->Trace(begin));
  return ToXSpace(spans, names, UnixOffsetNs());
}

absl::Status Create(PLUGIN_Profiler_Create_Args& args) {
  args.profiler = new PLUGIN_Profiler;
  return absl::OkStatus();
}

absl::Status Destroy(PLUGIN_Profiler_Destroy_Args& args) {
  delete args.profiler;
  return absl::OkStatus();
}

absl::Status Start(PLUGIN_Profiler_Start_Args& args) {
  args.profiler->begin = std::chrono::steady_clock::now();
  args.profiler->profile.clear();
  return absl::OkStatus();
}

absl::Status Stop(PLUGIN_Profiler_Stop_Args& args) {
  absl::StatusOr<XSpace> space = Profile(args.profiler->begin);
  if (!space.ok()) {
    space = MissingXSpace(
        absl::StrCat("acceld: the daemon's part is missing: ", space.status().message()),
        args.profiler->begin.time_since_epoch().count() + UnixOffsetNs());
  }
  args.profiler->profile = space->SerializeAsString();
  return absl::OkStatus();
}

absl::Status CollectData(PLUGIN_Profiler_CollectData_Args& args) {
  std::string& profile = args.profiler->profile;
  if (args.buffer == nullptr) {
    args.buffer = reinterpret_cast<uint8_t*>(profile.data());
    args.buffer_size_in_bytes = profile.size();
    return absl::OkStatus();
  }
  if (args.buffer_size_in_bytes < profile.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the profile has ", profile.size(),
                                                   " bytes; there is room for ",
                                                   args.buffer_size_in_bytes));
  }
  std::memcpy(args.buffer, profile.data(), profile.size());
  return absl::OkStatus();
}

// The table entry of a function. Unlike Entry it need not complete the argument struct: these
// structs have not grown since the first version of the extension.
template <typename Args, absl::Status (*function)(Args&)>
PLUGIN_Profiler_Error* ProfilerEntry(Args* args) {
  absl::Status status = args == nullptr
                            ? absl::InvalidArgumentError("acceld: a call without arguments")
                            : CallContained(function, *args);
  return status.ok() ? nullptr : new PLUGIN_Profiler_Error{std::move(status)};
}

}  // namespace

PJRT_Extension_Base* ProfilerExtension(PJRT_Extension_Base* next) {
  static PLUGIN_Profiler_Api api = {
      .struct_size = sizeof(PLUGIN_Profiler_Api),
      .priv = nullptr,
      .error_destroy = [](PLUGIN_Profiler_Error_Destroy_Args* args) { delete args->error; },
      .error_message =
          [](PLUGIN_Profiler_Error_Message_Args* args) {
            args->message = args->error->status.message().data();
            args->message_size = args->error->status.message().size();
          },
      .error_get_code = [](PLUGIN_Profiler_Error_GetCode_Args* args) -> PLUGIN_Profiler_Error* {
        args->code = static_cast<int>(args->error->status.code());
        return nullptr;
      },
      .create = &ProfilerEntry<PLUGIN_Profiler_Create_Args, &Create>,
      .destroy = &ProfilerEntry<PLUGIN_Profiler_Destroy_Args, &Destroy>,
      .start = &ProfilerEntry<PLUGIN_Profiler_Start_Args, &Start>,
      .stop = &ProfilerEntry<PLUGIN_Profiler_Stop_Args, &Stop>,
      .collect_data = &ProfilerEntry<PLUGIN_Profiler_CollectData_Args, &CollectData>};
  static PJRT_Profiler_Extension extension = {
      .base = {.struct_size = sizeof(PJRT_Profiler_Extension),
               .type = PJRT_Extension_Type_Profiler,
               .next = next},
      .profiler_api = &api,
      .traceme_context_id = 0};
  return &extension.base;
}

}  // namespace acceld::pjrt
