#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {

// How a command prints a list: the options that all commands with lists have.
struct ListOutput {
  bool json = false;
  bool wide = false;  // Whole cells and all columns, however long the lines get.

  // The width of a line: that of the terminal, or 80 where standard output is none.
  size_t columns() const;
  // Prints a sentence in lines of that width.
  void PrintText(absl::string_view text) const;
};

void PrintJson(const nlohmann::ordered_json& json);

}  // namespace acceld::tools
