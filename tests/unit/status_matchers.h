#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"

// Matchers for Status and StatusOr:
//   EXPECT_THAT(result, IsOk());
//   EXPECT_THAT(result, FailsWith(absl::StatusCode::kInvalidArgument, "lhs contracts 3"));
namespace acceld {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return arg.ok();
}

// The message must contain `part`.
MATCHER_P2(FailsWith, code, part,
           "fails with " + absl::StatusCodeToString(code) + " and '" + std::string(part) + "'") {
  const absl::Status& status = StatusOf(arg);
  *result_listener << status.ToString();
  return status.code() == code && std::string(status.message()).find(part) != std::string::npos;
}

// FailsWith INVALID_ARGUMENT.
MATCHER_P(IsRefused, part, "is refused with '" + std::string(part) + "'") {
  return ::testing::ExplainMatchResult(FailsWith(absl::StatusCode::kInvalidArgument, part), arg,
                                       result_listener);
}

}  // namespace acceld
