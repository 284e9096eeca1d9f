#include "client/tools/accelctl/views/counters.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tools/accelctl/views/format.h"
#include "common/cli/text.h"

namespace acceld::tools {

nlohmann::ordered_json CountersJson(const Counters& counters) {
  nlohmann::ordered_json object;
  for (const CounterInfo& counter : CounterInfos()) {
    const std::string name(counter.json);
    const size_t dot = name.find('.');
    nlohmann::ordered_json& member =
        dot == std::string::npos ? object[name] : object[name.substr(0, dot)][name.substr(dot + 1)];
    member = counters.*counter.field;
  }
  return object;
}

std::string CountersText(const Counters& counters, size_t columns) {
  constexpr size_t kIndent = 12;
  std::string text;
  // The counters of one group, each but the last with a comma behind it.
  std::vector<std::string> pieces;
  const CounterInfo* before = nullptr;
  const auto end_group = [&] {
    if (before == nullptr) return;
    absl::StrAppend(&text, cli::PadRight(before->group, kIndent),
                    cli::Filled(pieces, kIndent, columns), "\n");
    pieces.clear();
  };
  for (const CounterInfo& counter : CounterInfos()) {
    if (before == nullptr || before->group != counter.group) end_group();
    const uint64_t value = counters.*counter.field;
    const bool is_size = counter.unit == CounterUnit::kBytes;
    if (!pieces.empty() && is_size && counter.text == before->text) {
      absl::StrAppend(&pieces.back(), " (", SizeText(value), ")");  // of what was counted before
    } else {
      if (!pieces.empty()) pieces.back() += ",";
      pieces.push_back(absl::StrCat(is_size ? SizeText(value) : absl::StrCat(value),
                                    counter.text.empty() ? "" : " ", counter.text));
    }
    before = &counter;
  }
  end_group();
  return text;
}

}  // namespace acceld::tools
