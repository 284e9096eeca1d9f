#include "server/hal/cuda/driver/device_selection.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace acceld::hal::cuda {

absl::StatusOr<DeviceSelection> ParseDeviceSelection(absl::string_view text) {
  DeviceSelection wanted;
  if (text == "none") return wanted;
  if (text == "all") return DeviceSelection{.all = true};
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    int number = 0;
    if (!absl::SimpleAtoi(part, &number) || number < 0 ||
        std::count(wanted.numbers.begin(), wanted.numbers.end(), number) > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", text, "\" is neither all nor none nor numbers as in 0,2"));
    }
    wanted.numbers.push_back(number);
  }
  return wanted;
}

}  // namespace acceld::hal::cuda
