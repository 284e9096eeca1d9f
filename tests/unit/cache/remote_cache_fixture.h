#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/cache/executable_cache.h"
#include "server/cache/remote/keys.h"
#include "server/cache/remote/names.h"
#include "tests/support/daemon/redis_server.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/fake_device.h"

// One daemon's part of a cache that several share by the distribution's Redis.
namespace acceld::cache {

using std::chrono::milliseconds;
using testing::Eventually;
using testing::FakeDevice;
using testing::RedisServer;

inline const std::string kTeamKey(32, 'k');
inline const std::string kOtherKey(32, 'o');

// One daemon's cache, with a device and a compiler of its own that counts.
class Node {
 public:
  explicit Node(RemoteTier::Options remote, int threads = 2, const std::string& folder = "",
                int64_t memory_bytes = int64_t{1} << 30)
      : device_(memory_bytes) {
    for (const char* code : {"code", "other code"}) {
      device_.kernels[code] = [](const auto&) { return absl::OkStatus(); };
    }
    cache_ = std::make_unique<ExecutableCache>(ExecutableCache::Options{.folder = folder,
                                                                        .compile_threads = threads,
                                                                        .remote = std::move(remote),
                                                                        .producer = "here"},
                                               std::vector<hal::Device*>{&device_}, "build-1");
  }

  Request RequestFor(const std::string& name) {
    return {.key = DigestOf(name),
            .fingerprint = DigestOf(name),
            .arguments = {testing::F32({2})},
            .architecture = "fake",
            .device = 0,
            .compile = [this, name](const StopFlag&) -> absl::StatusOr<hal::Executable> {
              compiles_.fetch_add(1);
              std::this_thread::sleep_for(compile_time);
              if (name == "bad") return absl::UnimplementedError("no lowering");
              return ExecutableOf(name);
            }};
  }
  static hal::Executable ExecutableOf(const std::string& name) {
    hal::Executable executable;
    executable.program_name = name;
    executable.architecture = "fake";
    executable.build_id = "build-1";
    executable.arguments = {testing::F32({2})};
    executable.constants = std::string(1000, 'c');
    executable.code = "code";
    return executable;
  }
  CacheVerdict VerdictOf(const std::string& name) {
    const auto ticket = cache_->Get(RequestFor(name));
    const absl::StatusOr<Result>& result = ticket.future.Await();
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return CacheVerdict::kMiss;
    EXPECT_EQ(result->executable->executable->code, "code");
    return ticket.VerdictOf(*result);
  }
  RemoteTier::Stats stats() const { return *cache_->stats().remote; }
  ExecutableCache& cache() { return *cache_; }
  int compiles() const { return compiles_; }
  void Close() { cache_.reset(); }

  milliseconds compile_time{0};

 private:
  std::atomic<int> compiles_{0};
  FakeDevice device_;
  std::unique_ptr<ExecutableCache> cache_;
};

class RemoteCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<RedisServer> server = RedisServer::Start(folder_.path());
    if (absl::IsNotFound(server.status())) GTEST_SKIP() << "redis-server is not installed";
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::make_unique<RedisServer>(*std::move(server));
    raw_ = std::make_unique<redis::Store>(Options().redis);
  }

  RemoteTier::Options Options() const { return OptionsFor(server_->address()); }
  static RemoteTier::Options OptionsFor(absl::string_view address) {
    return {.redis = {.url = *redis::ParseUrl(absl::StrCat("redis://", address)),
                      .timeout = milliseconds(1000),
                      .breaker = {.failures = 2, .first_pause = milliseconds(50)}},
            .entries = {.salt = "s", .keys = DeriveSigningKeys({kTeamKey}, "s")},
            .lease = milliseconds(600)};
  }
  RemoteTier::Options ReadOnly() const {
    RemoteTier::Options options = Options();
    options.entries.read_only = true;
    return options;
  }
  // Compiles `name` for the team.
  void Fill(const std::string& name) {
    Node node(Options());
    EXPECT_EQ(node.VerdictOf(name), CacheVerdict::kMiss);
    node.Close();  // waits for the upload
    ASSERT_TRUE(Has(names_.Record(DigestOf(name))));
  }
  redis::Reply Do(std::vector<absl::string_view> command) {
    absl::StatusOr<redis::Reply> reply = raw_->Call(command[1], command);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *std::move(reply) : redis::Reply();
  }
  std::string Value(absl::string_view name) { return Do({"GET", name}).text; }
  int64_t NumKeys() { return Do({"EVAL", "return redis.call('DBSIZE')", "0"}).integer; }
  bool Has(absl::string_view name) { return Do({"EXISTS", name}).integer == 1; }
  static std::string BlobNameOf(const RemoteNames& names, absl::string_view record) {
    return names.Blob(absl::BytesToHexString(
        ParseRecord(record, DeriveSigningKeys({kTeamKey}, "s"))->payload_sha256));
  }
  // A node must compile `name` again, refuse what is there, and leave a good entry behind.
  void ExpectRefused(const std::string& name) {
    Node reader(Options());
    EXPECT_EQ(reader.VerdictOf(name), CacheVerdict::kMiss);
    EXPECT_EQ(reader.stats().entries.refused, 1u);
    reader.Close();
    Node after(Options());
    EXPECT_EQ(after.VerdictOf(name), CacheVerdict::kRemote);
  }

  testing::TempDir folder_;
  std::unique_ptr<RedisServer> server_;
  std::unique_ptr<redis::Store> raw_;
  const RemoteNames names_{"s"};
};

}  // namespace acceld::cache
