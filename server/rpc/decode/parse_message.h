#pragma once

#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/message_lite.h"
#include "grpcpp/grpcpp.h"

namespace acceld::rpc {

// Reads a message that may hold a program, to its end. Regions of a program are messages in
// messages, and protobuf's own limit of 100 levels would end them at 48: here
// limits::kMaxRegionDepth decides, when the program is made of the message. False when this is no
// such message, or when it nests deeper than any program within the limits does.
bool ParseMessage(google::protobuf::io::ZeroCopyInputStream& stream,
                  google::protobuf::MessageLite& message);
bool ParseMessage(absl::string_view bytes, google::protobuf::MessageLite& message);
// Takes the references to the buffer's slices.
bool ParseMessage(grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message);

}  // namespace acceld::rpc
