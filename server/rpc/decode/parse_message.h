#pragma once

#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/message_lite.h"
#include "grpcpp/grpcpp.h"

namespace acceld::rpc {

// Parses a whole message that may contain a program. The regions of a program are nested messages,
// and protobuf's default limit of 100 levels would allow only 48 regions. The limit is higher here;
// ir::limits::kMaxRegionDepth is checked later, when the message is converted to a module. Returns
// false when the bytes are not such a message, or when it is nested deeper than a program within
// the limits can be.
bool ParseMessage(google::protobuf::io::ZeroCopyInputStream& stream,
                  google::protobuf::MessageLite& message);
bool ParseMessage(absl::string_view bytes, google::protobuf::MessageLite& message);
// The same; leaves `bytes` empty.
bool ParseMessage(grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message);

}  // namespace acceld::rpc
