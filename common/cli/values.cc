#include "common/cli/values.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/cli/nearest.h"
#include "common/cli/text.h"

namespace acceld::cli {

CLI::Validator WholeNumber(int64_t min, int64_t max) {
  return CLI::Validator(
      [min, max](const std::string& text) -> std::string {
        int64_t value = 0;
        if (absl::SimpleAtoi(text, &value) && min <= value && value <= max) return "";
        if (max == std::numeric_limits<int64_t>::max()) {
          return absl::StrCat("'", text, "' is not a whole number of at least ", min);
        }
        return absl::StrCat("'", text, "' is not a whole number from ", min, " to ", max);
      },
      "");
}

CLI::Validator Number(double min, double max) {
  return CLI::Validator(
      [min, max](const std::string& text) -> std::string {
        double value = 0;
        if (absl::SimpleAtod(text, &value) && min <= value && value <= max) return "";
        return absl::StrFormat("'%s' is not a number from %.15g to %.15g", text, min, max);
      },
      "");
}

CLI::Validator OneOf(std::vector<std::string> choices) {
  // command_tree.cc reads the description.
  std::string description = absl::StrCat("{", absl::StrJoin(choices, ","), "}");
  return CLI::Validator(
      [choices = std::move(choices)](const std::string& text) -> std::string {
        if (std::find(choices.begin(), choices.end(), text) != choices.end()) return "";
        const absl::optional<std::string> nearest = Nearest(text, choices);
        return absl::StrCat("'", text, "' is not ", Listed(choices, "or"),
                            nearest ? absl::StrCat("; did you mean '", *nearest, "'?") : "");
      },
      std::move(description));
}

}  // namespace acceld::cli
