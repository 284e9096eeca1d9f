#include "common/status.h"

#include <memory>
#include <string>

#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace acceld {
namespace {

TEST(StatusTest, AnnotateKeepsCodeAndPayloadAndPutsTheContextInFront) {
  absl::Status status = absl::NotFoundError("no such thing");
  status.SetPayload("url", absl::Cord("payload"));
  const absl::Status annotated = Annotate(status, "while looking");
  EXPECT_EQ(annotated.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(annotated.message(), "while looking: no such thing");
  EXPECT_EQ(annotated.GetPayload("url"), absl::Cord("payload"));
}

TEST(StatusTest, AnnotateLeavesOkAlone) { EXPECT_TRUE(Annotate(absl::OkStatus(), "x").ok()); }

absl::StatusOr<std::unique_ptr<int>> Make(bool succeed) {
  if (!succeed) return absl::AbortedError("no");
  return std::make_unique<int>(3);
}

absl::StatusOr<int> Use(bool succeed) {
  ACCELD_RETURN_IF_ERROR(absl::OkStatus());
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<int> made, Make(succeed));
  return *made;
}

TEST(StatusTest, AssignOrReturnMovesTheValueOrReturnsTheError) {
  EXPECT_EQ(*Use(true), 3);
  EXPECT_EQ(Use(false).status(), absl::AbortedError("no"));
}

}  // namespace
}  // namespace acceld
