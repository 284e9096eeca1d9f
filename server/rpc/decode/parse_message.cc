#include "server/rpc/decode/parse_message.h"

#include "common/ir/verify/limits.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "grpcpp/support/proto_buffer_reader.h"

namespace acceld::rpc {
namespace {

// An op and its region are two levels. A program that exceeds the limit on regions a little is
// still parsed, so that the error it gets names that limit. kMaxOtherLevels is for the messages
// around a module and in the attributes of the innermost op. A level takes some 200 bytes of stack.
constexpr int kMaxRegionLevels = 3 * ir::limits::kMaxRegionDepth;
constexpr int kMaxOtherLevels = 4 * ir::limits::kMaxDepth;

}  // namespace

bool ParseMessage(google::protobuf::io::ZeroCopyInputStream& stream,
                  google::protobuf::MessageLite& message) {
  google::protobuf::io::CodedInputStream input(&stream);
  input.SetRecursionLimit(kMaxRegionLevels + kMaxOtherLevels);
  return message.ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
}

bool ParseMessage(absl::string_view bytes, google::protobuf::MessageLite& message) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return ParseMessage(stream, message);
}

bool ParseMessage(grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message) {
  grpc::ProtoBufferReader stream(&bytes);
  const bool is_read = stream.status().ok() && ParseMessage(stream, message);
  bytes.Clear();
  return is_read;
}

}  // namespace acceld::rpc
