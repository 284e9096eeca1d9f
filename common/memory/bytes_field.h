#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/message_lite.h"

// Messages of which one field holds bulk bytes, read and written without gathering these:
// protobuf's own code would copy them once on each side. The wire form is protobuf's, and any other
// implementation reads and writes the same.
namespace acceld {

// What stands before `size_bytes` bytes of field `number`.
std::string BytesFieldHeader(int number, size_t size_bytes);

// Reads a message to its end: `rest` gets every field but `number`, `pieces` views of the bytes of
// that one, in order, which live as long as the stream's memory. False when this is no such message
// or has the field twice.
bool ReadAroundBytesField(google::protobuf::io::ZeroCopyInputStream& stream, int number,
                          google::protobuf::MessageLite& rest,
                          std::vector<absl::string_view>& pieces);

}  // namespace acceld
