#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::client {

// Read or write a whole file. Errors contain the path and the operating system's reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);
absl::Status WriteFile(const std::string& path, absl::string_view contents);

}  // namespace acceld::client
