#include "client/embedded/start_options.h"

#include "absl/strings/str_cat.h"

namespace acceld::client {

absl::StatusOr<Autostart> ParseAutostart(absl::string_view text) {
  if (text.empty() || text == "on") return Autostart::kOn;
  if (text == "off") return Autostart::kOff;
  if (text == "private") return Autostart::kPrivate;
  return absl::InvalidArgumentError(
      absl::StrCat("ACCELD_AUTOSTART is '", text, "', which is not on, off or private"));
}

}  // namespace acceld::client
