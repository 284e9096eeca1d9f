#pragma once

#include "absl/base/optimization.h"

// CHECK is for our own bugs: it prints the place and ends the process. Nothing that comes from a
// client, a file, the network or a driver may reach one.
namespace acceld {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace acceld

#define ACCELD_CHECK(condition)                        \
  (ABSL_PREDICT_TRUE(condition) ? static_cast<void>(0) \
                                : ::acceld::CheckFailed(__FILE__, __LINE__, #condition))
