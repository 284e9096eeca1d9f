#include "common/memory/bytes_field.h"

#include <algorithm>
#include <cstdint>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/wire_format_lite.h"

namespace acceld {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

uint32_t TagOf(int number) {
  return WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

bool ReadPieces(CodedInputStream& input, std::vector<absl::string_view>& pieces) {
  int left = 0;
  // ReadVarint32 would silently cut a size of more than 32 bits.
  if (!input.ReadVarintSizeAsInt(&left)) return false;
  while (left > 0) {
    const void* data = nullptr;
    int available = 0;
    if (!input.GetDirectBufferPointer(&data, &available)) return false;
    const int taken = std::min(left, available);
    pieces.emplace_back(static_cast<const char*>(data), static_cast<size_t>(taken));
    if (!input.Skip(taken)) return false;
    left -= taken;
  }
  return true;
}

}  // namespace

std::string BytesFieldHeader(int number, size_t size_bytes) {
  std::string header;
  google::protobuf::io::StringOutputStream stream(&header);
  CodedOutputStream output(&stream);
  output.WriteTag(TagOf(number));
  output.WriteVarint64(size_bytes);
  output.Trim();
  return header;
}

bool ParseExceptBytesField(google::protobuf::io::ZeroCopyInputStream& stream, int number,
                           google::protobuf::MessageLite& rest,
                           std::vector<absl::string_view>& pieces) {
  CodedInputStream input(&stream);
  std::string others;
  bool met = false;
  {
    google::protobuf::io::StringOutputStream others_stream(&others);
    CodedOutputStream output(&others_stream);
    while (true) {
      const uint32_t tag = input.ReadTag();
      if (tag == 0) break;
      if (tag == TagOf(number)) {
        if (met || !ReadPieces(input, pieces)) return false;
        met = true;
      } else if (!WireFormatLite::SkipField(&input, tag, &output)) {
        return false;
      }
    }
  }
  return input.ConsumedEntireMessage() && rest.ParseFromString(others);
}

}  // namespace acceld
