#include "common/memory/bytes_field.h"

#include <random>
#include <string>

#include "acceld/v1/acceld.pb.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"

namespace acceld {
namespace {

constexpr int kData = v1::UploadChunk::kDataFieldNumber;

struct Read {
  bool ok = false;
  v1::UploadChunk rest;
  std::string data;
  size_t pieces = 0;
};

// From a stream that gives a few bytes at a time.
Read ReadChunk(const std::string& wire, int block_bytes) {
  google::protobuf::io::ArrayInputStream stream(wire.data(), static_cast<int>(wire.size()),
                                                block_bytes);
  Read read;
  std::vector<absl::string_view> pieces;
  read.ok = ParseExceptBytesField(stream, kData, read.rest, pieces);
  for (absl::string_view piece : pieces) read.data.append(piece.data(), piece.size());
  read.pieces = pieces.size();
  return read;
}

v1::UploadChunk SomeChunk(size_t data_bytes) {
  v1::UploadChunk chunk;
  chunk.set_session_token("0123456789abcdef");
  chunk.set_handle(77);
  chunk.set_data(std::string(data_bytes, 'd'));
  chunk.set_program_id(uint64_t{1} << 60);
  return chunk;
}

TEST(BytesField, ReadsWhatProtobufWritesInAnyPieces) {
  for (size_t data_bytes : {0, 1, 127, 128, 5000}) {
    const v1::UploadChunk chunk = SomeChunk(data_bytes);
    for (int block_bytes : {1, 3, 64, 100000}) {
      const Read read = ReadChunk(chunk.SerializeAsString(), block_bytes);
      ASSERT_TRUE(read.ok);
      EXPECT_EQ(read.data, chunk.data());
      EXPECT_EQ(read.rest.session_token(), chunk.session_token());
      EXPECT_EQ(read.rest.handle(), chunk.handle());
      EXPECT_EQ(read.rest.program_id(), chunk.program_id());
      EXPECT_TRUE(read.rest.data().empty());
      if (data_bytes > 0 && block_bytes == 100000) {
        EXPECT_EQ(read.pieces, 1);
      }
    }
  }
}

TEST(BytesField, ProtobufReadsWhatTheHeaderBegins) {
  v1::UploadChunk rest;
  rest.set_handle(5);
  const std::string data(300, 'x');
  v1::UploadChunk chunk;
  ASSERT_TRUE(chunk.ParseFromString(rest.SerializeAsString() +
                                    BytesFieldHeader(kData, data.size()) + data));
  EXPECT_EQ(chunk.handle(), 5);
  EXPECT_EQ(chunk.data(), data);
}

TEST(BytesField, RefusesTheFieldTwice) {
  const std::string once = BytesFieldHeader(kData, 1) + "a";
  EXPECT_TRUE(ReadChunk(once, 64).ok);
  EXPECT_FALSE(ReadChunk(once + once, 64).ok);
}

TEST(BytesField, DamagedMessagesAreRefusedAsProtobufRefusesThem) {
  std::mt19937_64 random(1);
  const std::string whole = SomeChunk(20).SerializeAsString();
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string wire = whole.substr(0, random() % (whole.size() + 1));
    for (int change = 0; change < 2 && !wire.empty(); ++change) {
      wire[random() % wire.size()] = static_cast<char>(random());
    }
    const Read read = ReadChunk(wire, 1 + static_cast<int>(random() % 40));
    v1::UploadChunk chunk;
    const bool parses = chunk.ParseFromString(wire);
    refused += !read.ok;
    // Only a repeated field makes a difference.
    if (read.ok) {
      ASSERT_TRUE(parses);
      EXPECT_EQ(read.data, chunk.data());
      EXPECT_EQ(read.rest.handle(), chunk.handle());
    } else if (parses) {
      EXPECT_GT(wire.size(), chunk.ByteSizeLong());
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace acceld
