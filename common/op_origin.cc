#include "common/op_origin.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace acceld {
namespace {

constexpr char kOp[] = "acceld/op";
constexpr char kProgram[] = "acceld/program";

bool Has(const absl::Status& status, absl::string_view payload) {
  return status.GetPayload(payload).has_value();
}

}  // namespace

absl::Status WithOp(absl::Status status, uint32_t op) {
  if (!status.ok() && op != 0 && !Has(status, kOp)) {
    status.SetPayload(kOp, absl::Cord(absl::string_view(absl::StrCat(op))));
  }
  return status;
}

absl::Status InProgram(absl::Status status, const Digest& fingerprint) {
  if (Has(status, kOp) && !Has(status, kProgram)) {
    status.SetPayload(kProgram, absl::Cord(fingerprint.AsBytes()));
  }
  return status;
}

absl::optional<OpOrigin> OriginOf(const absl::Status& status) {
  const absl::optional<absl::Cord> op = status.GetPayload(kOp);
  const absl::optional<absl::Cord> program = status.GetPayload(kProgram);
  if (!op.has_value() || !program.has_value()) return absl::nullopt;
  const absl::optional<Digest> fingerprint = Digest::FromBytes(std::string(*program));
  OpOrigin origin;
  if (!fingerprint.has_value() || !absl::SimpleAtoi(std::string(*op), &origin.op)) {
    return absl::nullopt;
  }
  origin.program = *fingerprint;
  return origin;
}

}  // namespace acceld
