#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// Helpers for absl::Status, used by every layer. A function that can fail returns absl::Status or
// absl::StatusOr; the message names the operation and the offending values.
namespace acceld {

// Returns the status with `context` put before its message ("context: message"). Payloads stay. OK
// stays OK.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

}  // namespace acceld

// Returns from the enclosing function when `expr` (a Status) is not OK.
#define ACCELD_RETURN_IF_ERROR(expr)                                                       \
  do {                                                                                     \
    if (absl::Status acceld_status_ = (expr); !acceld_status_.ok()) return acceld_status_; \
  } while (false)

// Declares or assigns `lhs` from a StatusOr, or returns its status.
#define ACCELD_ASSIGN_OR_RETURN(lhs, expr) \
  ACCELD_ASSIGN_OR_RETURN_IMPL_(ACCELD_CONCAT_(acceld_status_or_, __LINE__), lhs, expr)

#define ACCELD_CONCAT_INNER_(a, b) a##b
#define ACCELD_CONCAT_(a, b) ACCELD_CONCAT_INNER_(a, b)
#define ACCELD_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                                  \
  if (!tmp.ok()) return std::move(tmp).status();      \
  lhs = *std::move(tmp)
