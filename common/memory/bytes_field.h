#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/message_lite.h"

// Reads and writes protobuf messages in which one field holds bulk bytes, without copying these
// bytes: protobuf's own code would copy them once on each side. The wire format is protobuf's,
// which every implementation of it can read and write.
namespace acceld {

// Returns the tag and length that precede the `size_bytes` bytes of field `number` on the wire.
std::string BytesFieldHeader(int number, size_t size_bytes);

// Reads a message up to the end of `stream`. `rest` receives all fields but `number`; `pieces`
// receives views of the bytes of field `number`, in order, which are valid as long as the stream's
// memory. Returns false when the message is malformed or has the field twice.
bool ParseExceptBytesField(google::protobuf::io::ZeroCopyInputStream& stream, int number,
                           google::protobuf::MessageLite& rest,
                           std::vector<absl::string_view>& pieces);

}  // namespace acceld
