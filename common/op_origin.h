#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "common/crypto/digest.h"

// Records in an error which op of which program it is about. The daemon and the client that made
// the program number the ops alike (common/ir/op_numbers.h), so that the client can look up where
// in its source the op was made. The record is kept beside the message, and Annotate (status.h)
// keeps it.
namespace acceld {

// The op and the program that an error is about.
struct OpOrigin {
  Digest program;   // the program's fingerprint (common/ir/fingerprint.h)
  uint32_t op = 0;  // the op's number, from 1
};

// Returns the error with a record that it is about this op. An error that names an op already, an
// `op` of 0 and an OK status leave it as it is.
absl::Status WithOp(absl::Status status, uint32_t op);
// Returns the error with a record that its op belongs to this program. An error that names no op,
// or names a program already, is returned as it is.
absl::Status InProgram(absl::Status status, const Digest& fingerprint);

// Returns the record of an error; nullopt unless it names both an op and a program.
absl::optional<OpOrigin> OriginOf(const absl::Status& status);

}  // namespace acceld
