#include "server/rpc/decode/bounded_message.h"

#include <memory>
#include <string>

#include "acceld/v1/acceld.pb.h"
#include "gtest/gtest.h"

// Messages that take far more memory than they have bytes.
namespace acceld::rpc {
namespace {

// `count` fields of a message that are empty messages, two bytes each.
std::string EmptyFields(int field, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>(field << 3 | 2);
    bytes += '\0';
  }
  return bytes;
}

template <typename Message>
absl::Status Decode(const std::string& bytes) {
  const auto parse = [&bytes](Message& message) {
    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  };
  return BoundedMessage<Message>::Decode(static_cast<int64_t>(bytes.size()), parse).status();
}

TEST(BoundedMessageTest, EmptyMessagesInListsAreRefused) {
  constexpr size_t kCount = 4'000'000;
  EXPECT_EQ(Decode<v1::Region>(EmptyFields(v1::Region::kOpsFieldNumber, kCount)).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(BoundedMessageTest, WhatIsMalformedIsRefused) {
  EXPECT_EQ(Decode<v1::Region>("\xff\xff").code(), absl::StatusCode::kInvalidArgument);
}

TEST(BoundedMessageTest, LargeMessagesAreDecodedAsTheyAre) {
  v1::Region region;
  for (int i = 0; i < 100'000; ++i) {
    v1::Op& op = *region.add_ops();
    op.set_name("stablehlo.add");
    op.add_operands(1);
    op.add_operands(2);
    op.add_results(static_cast<uint32_t>(i));
  }
  const std::string bytes = region.SerializeAsString();
  v1::Region decoded;
  ASSERT_TRUE(BoundedMessage<v1::Region>::DecodeTo(
                  decoded, static_cast<int64_t>(bytes.size()),
                  [&](v1::Region& message) {
                    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
                  })
                  .ok());
  EXPECT_EQ(decoded.SerializeAsString(), bytes);
}

TEST(BoundedMessageTest, ARefusalLeavesTheThreadAsItWas) {
  const std::string bytes = EmptyFields(v1::Region::kOpsFieldNumber, 4'000'000);
  EXPECT_FALSE(Decode<v1::Region>(bytes).ok());
  // Unbounded: nothing of the refusal is left.
  google::protobuf::Arena arena;
  auto& region = *google::protobuf::Arena::CreateMessage<v1::Region>(&arena);
  EXPECT_TRUE(region.ParseFromArray(bytes.data(), static_cast<int>(bytes.size() / 8)));
}

}  // namespace
}  // namespace acceld::rpc
