#include "client/tools/accelctl/cache/explain.h"

#include <iostream>
#include <utility>

#include "client/tools/accelctl/program_arguments.h"
#include "client/tools/accelctl/views/cache_text.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNotFoundExitCode = 3;

}  // namespace

absl::StatusOr<int> ExplainCache(client::Client& client, const ExplainFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const client::Program program, LoadProgram(flags.program, flags.entry));
  ACCELD_ASSIGN_OR_RETURN(std::vector<ir::TensorType> types,
                          ParseArgumentTypes(flags.arguments, program));
  const absl::StatusOr<client::CacheExplanation> explained =
      client.Explain(program, std::move(types), {}, flags.target).Await();
  ACCELD_RETURN_IF_ERROR(explained.status());
  const int exit_code = explained->tier.empty() ? kNotFoundExitCode : 0;
  if (flags.output.json) {
    Json components = Json::array();
    for (const auto& component : explained->components) {
      Json row = {{"name", component.name}, {"wanted", component.wanted}};
      if (explained->nearest.has_value()) {
        row["nearest"] = component.nearest;
        row["differs"] = component.wanted != component.nearest;
      }
      components.push_back(std::move(row));
    }
    Json nearest;
    if (explained->nearest.has_value()) {
      nearest = {{"key", explained->nearest->key}, {"producer", explained->nearest->producer}};
    }
    std::cout << Json({{"tier", explained->tier}, {"components", components}, {"nearest", nearest}})
                     .dump(2)
              << "\n";
    return exit_code;
  }
  std::cout << ExplanationText(*explained, flags.output.columns());
  return exit_code;
}

}  // namespace acceld::tools
