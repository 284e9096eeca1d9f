// Entries of the shared cache that are not what they should be, and keys that say whose they are.

#include "server/cache/remote/compression.h"
#include "tests/unit/cache/remote_cache_fixture.h"

namespace acceld::cache {
namespace {

TEST_F(RemoteCacheTest, EveryFlippedBitOfARecordIsRefused) {
  Fill("f");
  const std::string name = names_.Record(DigestOf("f"));
  const std::string good = Value(name);
  EntryStore store(Options().entries, *raw_);
  const EntryHeader wanted{.key = DigestOf("f"), .build_id = "build-1", .architecture = "fake"};
  ASSERT_TRUE(store.Load(wanted).ok());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    Do({"SET", name, bad});
    EXPECT_TRUE(absl::IsNotFound(store.Load(wanted).status())) << "byte " << i;
    EXPECT_FALSE(Has(name));
  }
  EXPECT_EQ(store.stats().refused, good.size());
}

TEST_F(RemoteCacheTest, ARecordCutShortIsRefusedAndReplaced) {
  Fill("f");
  const std::string name = names_.Record(DigestOf("f"));
  const std::string good = Value(name);
  Do({"SET", name, absl::string_view(good).substr(0, good.size() / 2)});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, BytesAfterARecordAreRefused) {
  Fill("f");
  const std::string name = names_.Record(DigestOf("f"));
  Do({"APPEND", name, "x"});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, EntriesSwappedBetweenKeysAreRefused) {
  Fill("f");
  Fill("g");
  Do({"SET", names_.Record(DigestOf("f")), Value(names_.Record(DigestOf("g")))});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, AnAlteredBlobIsRefusedAndReplaced) {
  Fill("f");
  const std::string blob = BlobNameOf(names_, Value(names_.Record(DigestOf("f"))));
  std::string bytes = Value(blob);
  bytes[bytes.size() / 2] ^= 1;
  Do({"SET", blob, bytes});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, OtherCodeInTheBlobOfARecordIsNeverLoaded) {
  Fill("f");
  hal::Executable other = Node::ExecutableOf("f");
  other.code = "other code";
  Do({"SET", BlobNameOf(names_, Value(names_.Record(DigestOf("f")))),
      Compress(hal::Serialize(other))});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, AWholeEntrySignedWithAnotherKeyIsNeverLoaded) {
  hal::Executable other = Node::ExecutableOf("f");
  other.code = "other code";
  EntryStore planter({.salt = "s", .keys = DeriveSigningKeys({kOtherKey}, "s")}, *raw_);
  const EntryHeader header{.key = DigestOf("f"),
                           .fingerprint = DigestOf("f"),
                           .build_id = "build-1",
                           .architecture = "fake"};
  ASSERT_TRUE(*planter.Save(header, hal::Serialize(other)));
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, ARecordOfAnotherTypeIsRefusedAndReplaced) {
  Do({"LPUSH", names_.Record(DigestOf("f")), "x"});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, RefusedRecordsCanBeKeptForInspection) {
  Fill("f");
  Do({"APPEND", names_.Record(DigestOf("f")), "x"});
  RemoteTier::Options options = Options();
  options.entries.quarantine = true;
  Node node(options);
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
  EXPECT_TRUE(absl::EndsWith(Value(names_.Quarantine(DigestOf("f"))), "x"));
  EXPECT_GT(Do({"PTTL", names_.Quarantine(DigestOf("f"))}).integer, 0);
}

TEST_F(RemoteCacheTest, ARecordWhoseBlobIsGoneIsAMiss) {
  Fill("f");
  Do({"DEL", BlobNameOf(names_, Value(names_.Record(DigestOf("f"))))});
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
  EXPECT_EQ(node.stats().entries.lost_blobs, 1u);
  EXPECT_EQ(node.stats().entries.refused, 0u);
  node.Close();
  Node after(Options());
  EXPECT_EQ(after.VerdictOf("f"), CacheVerdict::kRemote);
}

TEST_F(RemoteCacheTest, AnotherSaltDisownsAllEntries) {
  Fill("f");
  RemoteTier::Options options = Options();
  options.entries.salt = "t";
  options.entries.keys = DeriveSigningKeys({kTeamKey}, "t");
  {
    Node node(options);
    EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
  }
  // Not even by its name: a record carried over is not signed for this salt.
  const RemoteNames names("t");
  Do({"SET", names.Record(DigestOf("f")), Value(names_.Record(DigestOf("f")))});
  Node node(options);
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
  EXPECT_EQ(node.stats().entries.refused, 1u);
}

TEST_F(RemoteCacheTest, KeysAreRotatedByListingBoth) {
  Fill("f");
  RemoteTier::Options options = Options();
  options.entries.keys = DeriveSigningKeys({kOtherKey, kTeamKey}, "s");
  Node both(options);
  EXPECT_EQ(both.VerdictOf("f"), CacheVerdict::kRemote);
  EXPECT_EQ(both.VerdictOf("g"), CacheVerdict::kMiss);
  both.Close();
  options.entries.keys = DeriveSigningKeys({kOtherKey}, "s");
  Node only_new(options);
  EXPECT_EQ(only_new.VerdictOf("g"), CacheVerdict::kRemote);
  EXPECT_EQ(only_new.VerdictOf("f"), CacheVerdict::kMiss);
}

TEST_F(RemoteCacheTest, KeysAreReplacedWhileTheCacheIsUsed) {
  Fill("f");
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kRemote);
  node.cache().tools().ReplaceKeys(DeriveSigningKeys({kOtherKey, kTeamKey}, "s"));
  EXPECT_EQ(node.VerdictOf("g"), CacheVerdict::kMiss);
  node.Close();
  RemoteTier::Options options = Options();
  options.entries.keys = DeriveSigningKeys({kOtherKey}, "s");
  Node only_new(options);
  EXPECT_EQ(only_new.VerdictOf("g"), CacheVerdict::kRemote);
  EXPECT_EQ(only_new.VerdictOf("f"), CacheVerdict::kMiss);
}

TEST_F(RemoteCacheTest, AReaderWritesNothing) {
  Fill("f");
  Do({"APPEND", names_.Record(DigestOf("f")), "x"});
  Fill("g");
  const int64_t before = NumKeys();
  Node reader(ReadOnly());
  EXPECT_EQ(reader.VerdictOf("f"), CacheVerdict::kMiss);
  EXPECT_EQ(reader.VerdictOf("g"), CacheVerdict::kRemote);
  EXPECT_EQ(reader.VerdictOf("h"), CacheVerdict::kMiss);
  reader.Close();
  EXPECT_EQ(NumKeys(), before);
  EXPECT_TRUE(absl::EndsWith(Value(names_.Record(DigestOf("f"))), "x"));
}

TEST_F(RemoteCacheTest, AReaderWaitsForWhoCompiles) {
  Node writer(Options()), reader(ReadOnly());
  writer.compile_time = milliseconds(300);
  const auto ticket = writer.cache().Get(writer.RequestFor("f"));
  ASSERT_TRUE(Eventually([&] { return writer.compiles() == 1; }));
  EXPECT_EQ(reader.VerdictOf("f"), CacheVerdict::kRemote);
  EXPECT_EQ(reader.compiles(), 0);
}

}  // namespace
}  // namespace acceld::cache
