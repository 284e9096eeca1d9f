#include "common/ir/verify/op_error.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/op_origin.h"

namespace acceld::ir {

absl::Status AtOp(const absl::Status& status, const Op& op) {
  if (status.ok()) return status;
  const bool has_line = absl::StartsWith(status.message(), "line ");
  return WithOp(op.location.line == 0 || has_line
                    ? status
                    : Annotate(status, absl::StrCat("line ", op.location.line)),
                op.location.op);
}

}  // namespace acceld::ir
