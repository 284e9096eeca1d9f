#pragma once

#include <cstddef>
#include <string>

#include "common/api/stats.h"
#include "nlohmann/json.hpp"

// The counters of a daemon as `accelctl stats` shows them. What stands where, and under which name,
// follows from common/api/counters.def.
namespace acceld::tools {

// An object with a member for each counter. A counter whose JSON name has a dot is a member of an
// object that is named by the part before the dot.
nlohmann::ordered_json CountersJson(const Counters& counters);

// A line for each group of counters: "compiles    12, 1 failed, 0 queued". What does not fit into
// `columns` goes on in the next line.
std::string CountersText(const Counters& counters, size_t columns);

}  // namespace acceld::tools
