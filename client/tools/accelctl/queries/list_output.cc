#include "client/tools/accelctl/queries/list_output.h"

#include <iostream>

#include "common/cli/terminal.h"
#include "common/cli/text.h"

namespace acceld::tools {

size_t ListOutput::columns() const {
  return wide ? cli::kUnlimitedColumns : cli::OutputSize().columns;
}

void ListOutput::PrintText(absl::string_view text) const {
  std::cout << cli::Filled(text, 0, columns()) << "\n";
}

void PrintJson(const nlohmann::ordered_json& json) { std::cout << json.dump(2) << std::endl; }

}  // namespace acceld::tools
