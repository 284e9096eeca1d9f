#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "common/crypto/digest.h"

// Which op of which program an error is about, beside its message. The daemon and the client that
// made the program number the ops alike (common/ir/op_numbers.h), so that the client can tell where
// in its source the op was made. Annotate keeps what an error says of its origin.
namespace acceld {

struct OpOrigin {
  Digest program;   // fingerprint
  uint32_t op = 0;  // from 1
};

// The error as one about this op, unless it names one already or `op` is 0. OK stays OK.
absl::Status WithOp(absl::Status status, uint32_t op);
// The same error. If it names an op and no program, it is about an op of this one.
absl::Status InProgram(absl::Status status, const Digest& fingerprint);

// Absent for an error that does not name both.
absl::optional<OpOrigin> OriginOf(const absl::Status& status);

}  // namespace acceld
