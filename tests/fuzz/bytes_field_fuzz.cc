#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acceld/v1/acceld.pb.h"
#include "common/check.h"
#include "common/memory/bytes_field.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"

// The reader of messages with bulk bytes, which does protobuf's work by hand: it reads what
// protobuf reads, whatever blocks the bytes come in, and never looks outside of them.
namespace {

using acceld::v1::UploadChunk;

// False when it was refused.
bool ReadInBlocks(const std::string& bytes, int block_bytes, UploadChunk& to) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()),
                                                block_bytes);
  std::vector<absl::string_view> pieces;
  if (!acceld::ParseExceptBytesField(stream, UploadChunk::kDataFieldNumber, to, pieces)) {
    return false;
  }
  std::string data;
  for (const absl::string_view piece : pieces) data.append(piece.data(), piece.size());
  ACCELD_CHECK(data.size() <= bytes.size());
  to.set_data(data);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);  // Damaged strings are no news here.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  UploadChunk whole;
  const bool is_read = ReadInBlocks(bytes, -1, whole);
  for (const int block_bytes : {1, 7, 64}) {
    UploadChunk chunk;
    ACCELD_CHECK(ReadInBlocks(bytes, block_bytes, chunk) == is_read);
    ACCELD_CHECK(!is_read || chunk.SerializeAsString() == whole.SerializeAsString());
  }
  UploadChunk expected;
  // Protobuf's other reader takes the number of an unknown field for its last 32 bits.
  if (is_read && expected.ParseFromString(bytes)) {
    ACCELD_CHECK(expected.SerializeAsString() == whole.SerializeAsString());
  }
  return 0;
}
