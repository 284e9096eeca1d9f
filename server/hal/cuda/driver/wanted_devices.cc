#include "server/hal/cuda/driver/wanted_devices.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace acceld::hal::cuda {

absl::StatusOr<WantedDevices> ParseWantedDevices(absl::string_view text) {
  WantedDevices wanted;
  if (text == "none") return wanted;
  if (text == "all") return WantedDevices{.all = true};
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
