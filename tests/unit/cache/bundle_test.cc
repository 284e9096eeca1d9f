// Entries on their way to another site.

#include "server/cache/bundle.h"

#include "gmock/gmock.h"

namespace acceld::cache {
namespace {

using ::testing::HasSubstr;

const SigningKey kKey(32, 'k'), kOther(32, 'o');

TEST(BundleTest, AnEntryComesBackFromPiecesOfAnySize) {
  const std::string payload(100'000, 'c');
  const std::string entry = EncodeBundleEntry({.program_name = "double"}, payload, kKey);
  for (const size_t piece : {size_t{1}, size_t{13}, entry.size()}) {
    BundleReader reader({kOther, kKey});
    for (size_t at = 0; at < entry.size(); at += piece) {
      ASSERT_TRUE(reader.Append(absl::string_view(entry).substr(at, piece)).ok());
    }
    const absl::StatusOr<Entry> read = reader.Take();
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->payload, payload);
    EXPECT_EQ(read->header.program_name, "double");
  }
}

TEST(BundleTest, WhatIsNotOursIsRefusedBeforeItsCodeIsTaken) {
  const std::string record = EncodeRecord({}, "code", kOther);
  BundleReader foreign({kKey});
  ASSERT_TRUE(foreign.Append(absl::string_view(record).substr(0, record.size() - 1)).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(foreign.Append(record.substr(record.size() - 1))));
  BundleReader nonsense({kKey});
  EXPECT_TRUE(absl::IsDataLoss(nonsense.Append("hello")));
}

TEST(BundleTest, MoreBytesThanTheSignedCodeCanTakeAreRefusedAsTheyCome) {
  BundleReader reader({kKey});
  ASSERT_TRUE(reader.Append(EncodeBundleEntry({}, "code", kKey)).ok());
  const std::string more(1'000, 'x');
  EXPECT_THAT(reader.Append(more).message(), HasSubstr("bytes after its blob"));
}

TEST(BundleTest, AnEntryThatIsCutShortIsRefused) {
  const std::string entry = EncodeBundleEntry({}, "code", kKey);
  const size_t record_bytes = RecordBytes(entry)->value();
  for (const size_t size :
       {size_t{0}, size_t{5}, record_bytes - 1, record_bytes, entry.size() - 1}) {
    BundleReader reader({kKey});
    ASSERT_TRUE(reader.Append(absl::string_view(entry).substr(0, size)).ok());
    EXPECT_TRUE(absl::IsDataLoss(reader.Take().status())) << size;
  }
}

}  // namespace
}  // namespace acceld::cache
