#include "client/pjrt/devices/connect.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/embedded/connect_or_start.h"

namespace acceld::pjrt {
namespace {

absl::string_view NameOf(const PJRT_NamedValue& option) {
  return absl::string_view(option.name, option.name_size);
}

absl::StatusOr<std::string> TextOf(const PJRT_NamedValue& option) {
  if (option.type == PJRT_NamedValue_kString) {
    return std::string(option.string_value, option.value_size);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("acceld's option '", NameOf(option), "' is text, in quotes"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<client::Client>> Connect(absl::Span<const PJRT_NamedValue> options) {
  client::ConnectOptions connect;
  for (const PJRT_NamedValue& option : options) {
    if (NameOf(option) == "address") {
      ACCELD_ASSIGN_OR_RETURN(connect.address, TextOf(option));
    } else if (NameOf(option) == "device") {
      ACCELD_ASSIGN_OR_RETURN(connect.device, TextOf(option));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("acceld has no option '", NameOf(option),
                                                     "'; there are 'address' and 'device'"));
    }
  }
  return client::ConnectOrStart(std::move(connect));
}

}  // namespace acceld::pjrt
