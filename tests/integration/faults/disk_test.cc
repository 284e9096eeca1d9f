// A cache folder on a disk that is full: a small file system of the test's own, which takes root.

#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/integration/faults/fault_fixture.h"

namespace acceld::testing {
namespace {

namespace fs = std::filesystem;
using client::CacheVerdict;

class FaultDiskTest : public FaultTest {
 protected:
  void SetUp() override {
    fs::create_directory(cache_folder());
    if (mount("tmpfs", cache_folder().c_str(), "tmpfs", 0, "size=1m,mode=0700") != 0) {
      GTEST_SKIP() << "no file system may be mounted here: " << absl::ErrnoToStatus(errno, "mount");
    }
    mounted_ = true;
  }
  void TearDown() override {
    FaultTest::TearDown();
    daemon_.reset();
    if (mounted_) umount2(cache_folder().c_str(), MNT_DETACH);
  }

  std::string filler() const { return cache_folder() + "/filler"; }
  // Leaves `free_bytes`, rounded up to pages.
  void FillDisk(size_t free_bytes) {
    std::ofstream file(filler(), std::ios::binary);
    const std::string page(4096, 'x');
    while (file.write(page.data(), page.size()).flush()) {
    }
    file.close();
    std::error_code error;
    fs::resize_file(filler(), fs::file_size(filler()) - free_bytes, error);
    EXPECT_FALSE(error) << error.message();
  }
  // x + `number`, run by a client of its own.
  CacheVerdict RunAdd(int number) {
    const std::string text = absl::StrCat(
        "func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {\n",
        "  %c = stablehlo.constant dense<", number, ".0> : tensor<16xf32>\n",
        "  %y = stablehlo.add %x, %c : tensor<16xf32>\n", "  return %y : tensor<16xf32>\n}\n");
    const auto result = static_cast<float>(number + 1);
    return RunOnce(Parse(text), Floats(std::vector<float>(16, 1)),
                   Floats(std::vector<float>(16, result)))
        .verdict;
  }
  size_t FilesWithExtension(const std::string& extension) const {
    size_t count = 0;
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(cache_folder())) {
      count += file.path().extension() == extension;
    }
    return count;
  }

 private:
  bool mounted_ = false;
};

TEST_F(FaultDiskTest, WorkGoesOnWhileTheDiskIsFullAndEntriesAreKeptWhenItIsNot) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount());
  size_t stored = 0;
  ASSERT_TRUE(Eventually([&] {
    const size_t last = std::exchange(stored, FilesWithExtension(".exe"));
    return last > 0 && last == stored && FilesWithExtension(".tmp") == 0;
  }));
  // Nothing fits, then the beginning of an entry.
  int number = 1;
  for (size_t free_bytes : {0, 4096}) {
    FillDisk(free_bytes);
    for (int i = 0; i < 15; ++i) EXPECT_EQ(RunAdd(number++), CacheVerdict::kMiss);
    EXPECT_EQ(RunAdd(1), CacheVerdict::kMemory);
    fs::remove(filler());
  }
  EXPECT_TRUE(Eventually(
      [&] { return daemon_->Log().find("No space left on device") != std::string::npos; }));
  const std::string log = daemon_->Log();
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 500);
  EXPECT_EQ(RunAdd(1000), CacheVerdict::kMiss);
  EXPECT_TRUE(Eventually([&] { return FilesWithExtension(".exe") > stored; }));
  ExpectServes();
  ExpectNothingLeft();
  EXPECT_EQ(Stop(), 0);
  EXPECT_EQ(FilesWithExtension(".tmp"), 0u);
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(RunAdd(1000), CacheVerdict::kDisk);
  EXPECT_EQ(Stats().cache_dropped, 0u);
}

TEST_F(FaultDiskTest, ADaemonStartsOnAFullDisk) {
  FillDisk(0);
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(RunAdd(1), CacheVerdict::kMiss);
  EXPECT_EQ(RunAdd(1), CacheVerdict::kMemory);
  ExpectServes();
}

}  // namespace
}  // namespace acceld::testing
