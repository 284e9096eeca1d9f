#include "client/pjrt/error.h"

#include "client/pjrt/functions.h"

namespace acceld::pjrt {

absl::Status Error_Destroy(PJRT_Error_Destroy_Args& args) {
  delete args.error;
  return absl::OkStatus();
}

absl::Status Error_Message(PJRT_Error_Message_Args& args) {
  const absl::string_view message = args.error->status.message();
  args.message = message.data();
  args.message_size = message.size();
  return absl::OkStatus();
}

absl::Status Error_GetCode(PJRT_Error_GetCode_Args& args) {
  args.code = static_cast<PJRT_Error_Code>(args.error->status.code());
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
