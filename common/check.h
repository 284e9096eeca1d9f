#pragma once

#include "absl/base/optimization.h"

// ACCELD_CHECK(condition) states an invariant of this program. If the condition is false it prints
// the source location and the condition to standard error and aborts the process; it is active in
// every build type. A false condition must always be a bug in acceld: bytes from a client, a file,
// the network or a driver must never cause one; such errors are returned as absl::Status.
namespace acceld {

// Prints the failed condition and aborts; called by ACCELD_CHECK.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace acceld

#define ACCELD_CHECK(condition)                        \
  (ABSL_PREDICT_TRUE(condition) ? static_cast<void>(0) \
                                : ::acceld::CheckFailed(__FILE__, __LINE__, #condition))
