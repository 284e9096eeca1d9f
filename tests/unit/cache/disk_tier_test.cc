#include "server/cache/disk_tier.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/unit/cache/temporary_folder.h"

namespace acceld::cache {
namespace {

namespace fs = std::filesystem;
using ::acceld::testing::TemporaryFolder;

EntryHeader HeaderFor(const std::string& name) {
  return {.key = DigestOf(name),
          .fingerprint = DigestOf("fingerprint"),
          .build_id = "build-1",
          .architecture = "fake",
          .program_name = name,
          .signature = "() -> ()",
          .compile_ms = 1.5,
          .created_unix_s = 1};
}

std::unique_ptr<DiskTier> OpenTier(const TemporaryFolder& folder, int64_t limit = 1 << 20) {
  auto tier = *DiskTier::Open(folder.path() + "/cache", {limit, 25});
  tier->WaitForIndex();
  return tier;
}

fs::path FileOf(const TemporaryFolder& folder, const std::string& name) {
  const std::string hex = DigestOf(name).ToHex();
  return fs::path(folder.path()) / "cache" / "v2" / hex.substr(0, 2) / (hex + ".exe");
}

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteAll(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(DiskTierTest, EntriesSurviveARestart) {
  TemporaryFolder folder;
  OpenTier(folder)->Store(HeaderFor("a"), "code of a", "");
  const auto tier = OpenTier(folder);
  EXPECT_EQ(*tier->Load(HeaderFor("a")), "code of a");
  EXPECT_TRUE(absl::IsNotFound(tier->Load(HeaderFor("b")).status()));
  ASSERT_EQ(tier->List().size(), 1u);
  EXPECT_EQ(tier->List()[0].header.program_name, "a");
  EXPECT_EQ(tier->List()[0].header.compile_ms, 1.5);
  EXPECT_EQ(tier->stats().bytes, fs::file_size(FileOf(folder, "a")));
  EXPECT_EQ(tier->stats().dropped, 0u);
}

// In a container every process may have the same number.
TEST(DiskTierTest, TemporaryFilesOfADeadProcessAreInNobodysWay) {
  TemporaryFolder folder;
  fs::create_directories(FileOf(folder, "a").parent_path());
  for (int i = 0; i < 3; ++i) {
    const std::string name = std::to_string(getpid()) + "." + std::to_string(i) + ".tmp";
    WriteAll(FileOf(folder, "a").parent_path() / name, "half");
    WriteAll(folder.path() + "/cache/node.key." + name, "half");
  }
  const auto tier = OpenTier(folder);
  tier->Store(HeaderFor("a"), "code of a", "");
  EXPECT_EQ(tier->stats().failures, 0u);
  EXPECT_EQ(*tier->Load(HeaderFor("a")), "code of a");
}

TEST(DiskTierTest, NobodyElseMayReadKeyOrFolder) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  struct stat info;
  ASSERT_EQ(stat((folder.path() + "/cache").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(stat((folder.path() + "/cache/node.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(DiskTierTest, AnEntryCutShortAnywhereIsDropped) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  tier->Store(HeaderFor("a"), "code", "");
  const std::string whole = ReadAll(FileOf(folder, "a"));
  for (size_t size = 0; size < whole.size(); ++size) {
    WriteAll(FileOf(folder, "a"), whole.substr(0, size));
    ASSERT_TRUE(absl::IsNotFound(tier->Load(HeaderFor("a")).status())) << size;
    ASSERT_FALSE(fs::exists(FileOf(folder, "a")));
  }
  EXPECT_EQ(tier->stats().dropped, whole.size());
}

TEST(DiskTierTest, AnEntryWithAnyByteChangedIsDropped) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  tier->Store(HeaderFor("a"), "code", "");
  const std::string whole = ReadAll(FileOf(folder, "a"));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string altered = whole;
    altered[at] ^= 1;
    WriteAll(FileOf(folder, "a"), altered);
    ASSERT_TRUE(absl::IsNotFound(tier->Load(HeaderFor("a")).status())) << at;
  }
  WriteAll(FileOf(folder, "a"), whole + "x");
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
  WriteAll(FileOf(folder, "a"), whole);
  EXPECT_EQ(*tier->Load(HeaderFor("a")), "code");
}

TEST(DiskTierTest, AnEntrySignedElsewhereIsDropped) {
  TemporaryFolder here, elsewhere;
  OpenTier(elsewhere)->Store(HeaderFor("a"), "foreign code", "");
  {
    const auto tier = OpenTier(here);
  }
  fs::create_directories(FileOf(here, "a").parent_path());
  fs::copy_file(FileOf(elsewhere, "a"), FileOf(here, "a"));
  const auto tier = OpenTier(here);
  EXPECT_EQ(tier->stats().dropped, 1u);
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
}

TEST(DiskTierTest, ASignedEntryUnderAnotherNameIsDropped) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  tier->Store(HeaderFor("a"), "code of a", "");
  fs::create_directories(FileOf(folder, "b").parent_path());
  fs::copy_file(FileOf(folder, "a"), FileOf(folder, "b"));
  EXPECT_FALSE(tier->Load(HeaderFor("b")).ok());
  EXPECT_EQ(tier->stats().dropped, 1u);
  EXPECT_TRUE(tier->Load(HeaderFor("a")).ok());
}

TEST(DiskTierTest, AKeyThatOthersCouldReadIsReplaced) {
  TemporaryFolder folder;
  OpenTier(folder)->Store(HeaderFor("a"), "code", "");
  const std::string key_path = folder.path() + "/cache/node.key";
  const std::string old_key = ReadAll(key_path);
  fs::permissions(key_path, fs::perms::others_read, fs::perm_options::add);
  const auto tier = OpenTier(folder);
  EXPECT_NE(ReadAll(key_path), old_key);
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
}

TEST(DiskTierTest, AKeyThatOthersCouldWriteIsReplaced) {
  TemporaryFolder folder;
  OpenTier(folder)->Store(HeaderFor("a"), "code", "");
  const std::string key_path = folder.path() + "/cache/node.key";
  const std::string known_key(32, 'k');  // to whoever has written it
  WriteAll(key_path, known_key);
  fs::permissions(key_path, fs::perms::group_write, fs::perm_options::add);
  const auto tier = OpenTier(folder);
  EXPECT_NE(ReadAll(key_path), known_key);
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
}

TEST(DiskTierTest, AFolderThatOthersMayWriteIsRefused) {
  for (const char* name : {"/cache", "/cache/v2"}) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      TemporaryFolder folder;
      OpenTier(folder)->Store(HeaderFor("a"), "code", "");
      fs::permissions(folder.path() + name, others, fs::perm_options::add);
      const absl::Status refused = DiskTier::Open(folder.path() + "/cache", {1 << 20, 25}).status();
      EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
      EXPECT_NE(refused.message().find(folder.path() + name + " has mode"), std::string::npos);
    }
  }
}

TEST(DiskTierTest, FoldersFilesAndKeysOfOthersAreRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kOther = 65534;
  for (const char* name : {"/cache", "/cache/v2", "/cache/node.key"}) {
    TemporaryFolder folder;
    OpenTier(folder)->Store(HeaderFor("a"), "code", "");
    ASSERT_EQ(lchown((folder.path() + name).c_str(), kOther, kOther), 0);
    const absl::Status refused = DiskTier::Open(folder.path() + "/cache", {1 << 20, 25}).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_NE(refused.message().find(folder.path() + name), std::string::npos) << refused;
  }
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  tier->Store(HeaderFor("a"), "code", "");
  ASSERT_EQ(lchown(FileOf(folder, "a").c_str(), kOther, kOther), 0);
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
  EXPECT_EQ(tier->stats().dropped, 1u);
  tier->Store(HeaderFor("a"), "code", "");
  ASSERT_EQ(lchown(FileOf(folder, "a").parent_path().c_str(), kOther, kOther), 0);
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
  EXPECT_GE(tier->stats().failures, 1u);
}

TEST(DiskTierTest, AnEntryThatOthersMayWriteIsDropped) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    tier->Store(HeaderFor("a"), "code", "");
    fs::permissions(FileOf(folder, "a"), others, fs::perm_options::add);
    EXPECT_FALSE(OpenTier(folder)->Load(HeaderFor("a")).ok());
    EXPECT_FALSE(fs::exists(FileOf(folder, "a")));
  }
}

// Class: path traversal. Names lead nowhere else, whatever stands there.
TEST(DiskTierTest, PathTraversalByLinksEndsAtTheLink) {
  TemporaryFolder folder, elsewhere;
  OpenTier(elsewhere)->Store(HeaderFor("a"), "code", "");
  const std::string secret = elsewhere.path() + "/secret";
  WriteAll(secret, std::string(32, 's'));
  const auto tier = OpenTier(folder);
  const fs::path file = FileOf(folder, "a");
  // An entry that is a link, which is neither followed nor written through.
  tier->Store(HeaderFor("a"), "code", "");
  fs::remove(file);
  fs::create_symlink(secret, file);
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
  tier->Store(HeaderFor("a"), "code", "");
  EXPECT_EQ(ReadAll(secret), std::string(32, 's'));
  // A folder of entries.
  fs::remove_all(file.parent_path());
  fs::create_symlink(FileOf(elsewhere, "a").parent_path(), file.parent_path());
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
  tier->Store(HeaderFor("a"), "other code", "");
  EXPECT_TRUE(OpenTier(elsewhere)->Load(HeaderFor("a")).ok());
  // The key, and the versioned folder.
  fs::remove(folder.path() + "/cache/node.key");
  fs::create_symlink(secret, folder.path() + "/cache/node.key");
  EXPECT_FALSE(DiskTier::Open(folder.path() + "/cache", {1 << 20, 25}).ok());
  fs::remove(folder.path() + "/cache/node.key");
  fs::remove_all(folder.path() + "/cache/v2");
  fs::create_symlink(elsewhere.path() + "/cache/v2", folder.path() + "/cache/v2");
  EXPECT_FALSE(DiskTier::Open(folder.path() + "/cache", {1 << 20, 25}).ok());
}

TEST(DiskTierTest, AFifoIsNotWaitedFor) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  tier->Store(HeaderFor("a"), "code", "");
  fs::remove(FileOf(folder, "a"));
  ASSERT_EQ(mkfifo(FileOf(folder, "a").c_str(), 0600), 0);
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
}

TEST(DiskTierTest, FoldersThatAreRemovedMeanwhileAreMadeAnew) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  fs::remove_all(folder.path() + "/cache");
  tier->Store(HeaderFor("a"), "code", "");
  EXPECT_EQ(*tier->Load(HeaderFor("a")), "code");
  EXPECT_TRUE(fs::exists(FileOf(folder, "a")));
}

TEST(DiskTierTest, TheLeastRecentlyUsedGoFirst) {
  TemporaryFolder folder;
  const std::string code(1000, 'x');
  auto tier = OpenTier(folder, 4 * 1400);
  for (const char* name : {"a", "b", "c", "d"}) tier->Store(HeaderFor(name), code, "");
  ASSERT_EQ(tier->stats().entries, 4u);
  // Recency is the files' modification time; a clock that ticks coarsely must not decide the test.
  const auto now = fs::last_write_time(FileOf(folder, "d"));
  int age = 40;
  for (const char* name : {"b", "a", "c", "d"}) {
    fs::last_write_time(FileOf(folder, name), now - std::chrono::seconds(age -= 10));
  }
  EXPECT_TRUE(tier->Load(HeaderFor("b")).ok());
  tier->Store(HeaderFor("e"), code, "");
  EXPECT_TRUE(fs::exists(FileOf(folder, "b")));
  EXPECT_FALSE(fs::exists(FileOf(folder, "a")));
  EXPECT_TRUE(fs::exists(FileOf(folder, "e")));
  EXPECT_LE(tier->stats().bytes, 4u * 1400);
}

TEST(DiskTierTest, WhoHasManyEntriesLosesItsOwnAndNotThoseOfOthers) {
  TemporaryFolder folder;
  const std::string code(1000, 'x');
  auto tier = OpenTier(folder, 8 * 1400);  // A share are two.
  for (const char* name : {"a", "b"}) tier->Store(HeaderFor(name), code, "modest");
  for (int i = 0; i < 50; ++i) tier->Store(HeaderFor(absl::StrCat("g", i)), code, "greedy");
  for (const char* name : {"a", "b", "g49"}) EXPECT_TRUE(tier->Load(HeaderFor(name)).ok());
  EXPECT_FALSE(tier->Load(HeaderFor("g0")).ok());
  // As a new one of who has little is.
  tier->Store(HeaderFor("c"), code, "other");
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(tier->Load(HeaderFor(name)).ok());
}

TEST(DiskTierTest, AFullTierIsNotGoneThroughForEverySmallEntry) {
  TemporaryFolder folder;
  auto tier = OpenTier(folder, 400 * 300);
  int i = 0;
  while (tier->stats().evictions == 0) {
    tier->Store(HeaderFor(absl::StrCat("e", i++)), "code", "greedy");
  }
  EXPECT_GE(tier->stats().evictions, 20u);
}

TEST(DiskTierTest, AnEntryLargerThanTheLimitIsNotStored) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder, 1000);
  tier->Store(HeaderFor("a"), std::string(2000, 'x'), "");
  EXPECT_EQ(tier->stats().entries, 0u);
}

TEST(DiskTierTest, SeveralProcessesShareTheFolder) {
  TemporaryFolder folder;
  const auto one = OpenTier(folder);
  const auto other = OpenTier(folder);
  one->Store(HeaderFor("a"), "code", "");
  EXPECT_EQ(*other->Load(HeaderFor("a")), "code");
  fs::remove(FileOf(folder, "a"));
  EXPECT_FALSE(one->Load(HeaderFor("a")).ok());
  EXPECT_EQ(one->stats().entries, 0u);
  EXPECT_EQ(one->stats().dropped, 0u);
}

// Entries are found, stored and removed while the index of those before is still being read.
TEST(DiskTierTest, NobodyWaitsForTheIndex) {
  TemporaryFolder folder;
  constexpr int kCount = 300;
  const auto name_of = [](int i) { return absl::StrCat("e", i); };
  {
    const auto tier = OpenTier(folder);
    for (int i = 0; i < kCount; ++i) tier->Store(HeaderFor(name_of(i)), "code", "");
  }
  const auto tier = *DiskTier::Open(folder.path() + "/cache", {1 << 20, 25});
  EXPECT_EQ(*tier->Load(HeaderFor(name_of(kCount - 1))), "code");
  EXPECT_TRUE(tier->Contains(DigestOf(name_of(kCount - 2))));
  EXPECT_FALSE(tier->Contains(DigestOf("none")));
  EXPECT_TRUE(tier->Remove(DigestOf(name_of(0))));
  tier->Store(HeaderFor("new"), "code", "somebody");
  tier->WaitForIndex();
  EXPECT_TRUE(tier->HasIndex());
  EXPECT_TRUE(tier->Contains(DigestOf("new")));
  EXPECT_EQ(tier->stats().entries, static_cast<uint64_t>(kCount));
  uint64_t bytes = 0;
  for (const DiskTier::Entry& entry : tier->List()) {
    bytes += entry.size_bytes;
    EXPECT_EQ(entry.owner, entry.header.program_name == "new" ? "somebody" : "");
  }
  EXPECT_EQ(tier->stats().bytes, bytes);
}

// Bad entries are found by whoever uses them and by the reader of the index, in any order.
TEST(DiskTierTest, AnEntryThatReplacesABadOneStaysWhileTheIndexIsRead) {
  TemporaryFolder folder;
  constexpr int kCount = 400;
  const auto name_of = [](int i) { return absl::StrCat("e", i); };
  {
    const auto tier = OpenTier(folder);
    for (int i = 0; i < kCount; ++i) {
      tier->Store(HeaderFor(name_of(i)), "code", "");
      WriteAll(FileOf(folder, name_of(i)), "not an entry");
    }
  }
  const auto tier = *DiskTier::Open(folder.path() + "/cache", {1 << 20, 25});
  for (int i = 0; i < kCount; ++i) {
    EXPECT_FALSE(tier->Load(HeaderFor(name_of(i))).ok());
    tier->Store(HeaderFor(name_of(i)), "new code", "");
  }
  tier->WaitForIndex();
  EXPECT_EQ(tier->stats().dropped, static_cast<uint64_t>(kCount));
  EXPECT_EQ(tier->stats().entries, static_cast<uint64_t>(kCount));
  for (int i = 0; i < kCount; ++i) {
    const absl::StatusOr<std::string> code = tier->Load(HeaderFor(name_of(i)));
    EXPECT_TRUE(code.ok() && *code == "new code") << i << ": " << code.status();
  }
}

// What is known of entries stays known while the tier looks at the files again to make room.
TEST(DiskTierTest, AnEntryIsKnownWhileRoomIsMade) {
  TemporaryFolder folder;
  constexpr int kCount = 200;
  const auto name_of = [](int i) { return absl::StrCat("e", i); };
  const auto tier = OpenTier(folder, 64 << 10);
  tier->Store(HeaderFor("used"), "code", "");
  std::atomic<bool> done{false};
  std::thread maker([&] {
    for (int i = 0; i < kCount; ++i)
      tier->Store(HeaderFor(name_of(i)), std::string(2 << 10, 'c'), "");
    done = true;
  });
  while (!done) {
    (void)tier->Load(HeaderFor("used"));
    if (tier->Contains(DigestOf("used"))) continue;
    EXPECT_FALSE(fs::exists(FileOf(folder, "used"))) << "it is there, but not known";
    tier->Store(HeaderFor("used"), "code", "");
  }
  maker.join();
  EXPECT_GT(tier->stats().evictions, 0u);
}

TEST(DiskTierTest, ATierThatIsStillReadingItsIndexEndsAtOnce) {
  TemporaryFolder folder;
  {
    const auto tier = OpenTier(folder);
    for (int i = 0; i < 50; ++i) tier->Store(HeaderFor(absl::StrCat("e", i)), "code", "");
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(DiskTier::Open(folder.path() + "/cache", {1 << 20, 25}).ok());
  }
  EXPECT_EQ(OpenTier(folder)->stats().entries, 50u);
}

TEST(DiskTierTest, EntriesWithLongRecordsSurviveARestart) {
  TemporaryFolder folder;
  EntryHeader header = HeaderFor("a");
  for (std::string* field :
       {&header.options, &header.program_name, &header.signature, &header.producer}) {
    *field = std::string(2000, 'x');
  }
  OpenTier(folder)->Store(header, "code", "");
  const auto tier = OpenTier(folder);
  ASSERT_EQ(tier->List().size(), 1u);
  EXPECT_EQ(tier->List()[0].header.producer, header.producer);
  EXPECT_EQ(*tier->Load(header), "code");
}

TEST(DiskTierTest, TroubleWithTheDiskIsCounted) {
  TemporaryFolder folder;
  const auto tier = OpenTier(folder);
  fs::remove_all(folder.path() + "/cache/v2");
  WriteAll(folder.path() + "/cache/v2", "a file where a folder was");
  tier->Store(HeaderFor("a"), "code", "");
  EXPECT_FALSE(tier->Load(HeaderFor("a")).ok());
  EXPECT_GE(tier->stats().failures, 1u);
  EXPECT_FALSE(DiskTier::Open(folder.path() + "/cache", {1 << 20, 25}).ok());
}

}  // namespace
}  // namespace acceld::cache
