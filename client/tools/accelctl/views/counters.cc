#include "client/tools/accelctl/views/counters.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/tools/accelctl/views/format.h"

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

std::string CountersText(const Counters& counters) {
  std::string text;
  const CounterInfo* before = nullptr;
  for (const CounterInfo& counter : CounterInfos()) {
    const uint64_t value = counters.*counter.field;
    const bool begins = before == nullptr || before->group != counter.group;
    if (begins) {
      absl::StrAppend(&text, before == nullptr ? "" : "\n",
                      absl::StrFormat("%-11s ", counter.group));
    }
    const bool is_size = counter.unit == CounterUnit::kBytes;
    if (!begins && is_size && counter.text == before->text) {
      absl::StrAppend(&text, " (", SizeText(value), ")");  // of what was counted before
    } else {
      absl::StrAppend(&text, begins ? "" : ", ", is_size ? SizeText(value) : absl::StrCat(value),
                      counter.text.empty() ? "" : " ", counter.text);
    }
    before = &counter;
  }
  return text + "\n";
}

}  // namespace acceld::tools
