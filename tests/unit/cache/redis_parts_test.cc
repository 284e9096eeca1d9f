// What a client of Redis is made of, without a server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "server/cache/redis/breaker.h"
#include "server/cache/redis/reply.h"
#include "server/cache/redis/slots.h"
#include "server/cache/redis/url.h"

namespace acceld::cache::redis {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisUrlTest, NamesOneServer) {
  const Url url = *ParseUrl("redis://cache.example");
  EXPECT_EQ(url.topology, Url::Topology::kSingle);
  EXPECT_FALSE(url.tls);
  EXPECT_THAT(url.endpoints, ElementsAre(Endpoint{"cache.example", 6379}));
  EXPECT_EQ(url.database, 0);
  const Url full = *ParseUrl("rediss://ann:p%40ss%3a%2F@[::1]:7000/3");
  EXPECT_TRUE(full.tls);
  EXPECT_EQ(full.user, "ann");
  EXPECT_EQ(full.password, "p@ss:/");
  EXPECT_THAT(full.endpoints, ElementsAre(Endpoint{"::1", 7000}));
  EXPECT_EQ(full.database, 3);
  EXPECT_EQ(ToString(full), "rediss://[::1]:7000/3") << "which has no password in it";
  EXPECT_EQ(ParseUrl("redis://:secret@h")->password, "secret");
}

TEST(RedisUrlTest, NamesSentinelsOrNodesOfACluster) {
  const Url sentinels = *ParseUrl("redis-sentinel://:pw@a,b:7/mymaster/2");
  EXPECT_EQ(sentinels.topology, Url::Topology::kSentinel);
  EXPECT_THAT(sentinels.endpoints, ElementsAre(Endpoint{"a", 26379}, Endpoint{"b", 7}));
  EXPECT_EQ(sentinels.master, "mymaster");
  EXPECT_EQ(sentinels.database, 2);
  const Url cluster = *ParseUrl("rediss-cluster://a:1,b:2,c/");
  EXPECT_EQ(cluster.topology, Url::Topology::kCluster);
  EXPECT_TRUE(cluster.tls);
  EXPECT_EQ(cluster.endpoints.size(), 3u);
}

TEST(RedisUrlTest, OthersAreRefusedWithoutTheirPasswords) {
  for (const char* text :
       {"", "redis", "http://h", "redisx://h", "redis://", "redis://:hidden@", "redis://h:0",
        "redis://h:65536", "redis://h:x", "redis://a,b", "redis://h/x", "redis://h/-1",
        "redis://h/1/2", "redis://user@h", "redis://:hidden%4@h", "redis://[::1", "redis://::1",
        "redis-sentinel://h", "redis-cluster://h/1"}) {
    const absl::Status status = ParseUrl(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("hidden"))) << text;
  }
}

TEST(RedisSlotsTest, AreThoseOfTheSpecification) {
  EXPECT_EQ(SlotOf("123456789"), 0x31c3);
  EXPECT_EQ(SlotOf("foo"), 12182);
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("{user1000}.followers"));
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("user1000"));
  EXPECT_EQ(SlotOf("foo{{bar}}zap"), SlotOf("{bar"));
  EXPECT_NE(SlotOf("foo{}{bar}"), SlotOf("bar"));
}

TEST(RedisReplyTest, AnswersOfEachKindComeInPieces) {
  const std::string bytes =
      "*6\r\n$5\r\nhe\r\no\r\n:-42\r\n$-1\r\n+OK\r\n-ERR no\r\n*2\r\n$0\r\n\r\n:7\r\n";
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    ReplyReader reader(1000);
    absl::optional<Reply> reply;
    for (size_t i = 0; i < bytes.size(); i += piece) {
      ASSERT_FALSE(reply.has_value());
      reply = *reader.Add(absl::string_view(bytes).substr(i, piece));
    }
    ASSERT_TRUE(reply.has_value()) << piece;
    ASSERT_EQ(reply->elements.size(), 6u);
    EXPECT_EQ(reply->elements[0].text, "he\r\no");
    EXPECT_EQ(reply->elements[1].integer, -42);
    EXPECT_TRUE(reply->elements[2].is_nil());
    EXPECT_EQ(reply->elements[3].type, Reply::Type::kStatus);
    EXPECT_TRUE(reply->elements[4].is_error());
    EXPECT_EQ(reply->elements[5].elements[1].integer, 7);
    EXPECT_EQ(ToString(*reply), "[he\r\no, -42, nil, OK, ERR no, [, 7]]");
  }
}

TEST(RedisReplyTest, WhatIsNoAnswerIsRefused) {
  const std::vector<absl::string_view> answers = {
      "HTTP/1.1 400 Bad Request\r\n",
      "$-2\r\n",
      "\n\n\n\n",
      "*99999999\r\n",
      "$99999999999999999999\r\n",
      "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"};
  for (const absl::string_view bytes : answers) {
    ReplyReader reader(1000);
    EXPECT_EQ(reader.Add(bytes).status().code(), absl::StatusCode::kDataLoss) << bytes;
  }
}

TEST(RedisReplyTest, AnAnswerHasABound) {
  ReplyReader reader(100);
  EXPECT_TRUE(reader.Add("$90\r\n").ok());
  EXPECT_TRUE((*reader.Add(absl::StrCat(std::string(90, 'x'), "\r\n"))).has_value());
  EXPECT_TRUE(reader.Add("$200\r\n").ok());
  EXPECT_EQ(reader.Add(std::string(100, 'x')).status().code(), absl::StatusCode::kDataLoss);
}

TEST(RedisReplyTest, AFewBytesDoNotTakeMuchMemory) {
  ReplyReader reader(1 << 20);
  EXPECT_EQ(reader.Add("*65536\r\n").status().code(), absl::StatusCode::kDataLoss);
  // Nor by arrays in arrays.
  ReplyReader nested(1 << 20);
  absl::Status status;
  ASSERT_TRUE(nested.Add("*4000\r\n").ok());
  for (int i = 0; i < 4000 && status.ok(); ++i) {
    std::string bytes = "*1000\r\n";
    for (int k = 0; k < 1000; ++k) bytes += "*0\r\n";
    status = nested.Add(bytes).status();
    ASSERT_LT(i, 20);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  // It counts anew for each answer.
  ReplyReader many(1000);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE((*many.Add("*2\r\n:1\r\n:2\r\n")).has_value());
}

TEST(RedisReplyTest, NothingFollowsAnAnswer) {
  ReplyReader reader(1000);
  EXPECT_EQ(reader.Add("+OK\r\n+what nobody asked for\r\n").status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(RedisBreakerTest, LetsOneTryHoweverLongItTakesAndCountsIt) {
  Breaker breaker({.failures = 2, .first_pause = milliseconds(100)});
  Breaker::Clock::time_point now{};
  // Several that began while it was closed.
  for (int i = 0; i < 5; ++i) breaker.Failed(now);
  EXPECT_FALSE(breaker.Allows(now + milliseconds(99)));
  now += milliseconds(100);
  EXPECT_TRUE(breaker.Allows(now));
  now += milliseconds(5000);
  EXPECT_FALSE(breaker.Allows(now)) << "one is trying";
  breaker.Failed(now);
  EXPECT_FALSE(breaker.Allows(now + milliseconds(199)));
  EXPECT_TRUE(breaker.Allows(now + milliseconds(200)));
}

TEST(RedisBreakerTest, OpensAfterFailuresInARowAndThenLetsOneTry) {
  Breaker breaker(
      {.failures = 2, .first_pause = milliseconds(100), .longest_pause = milliseconds(300)});
  Breaker::Clock::time_point now{};
  breaker.Failed(now);
  breaker.Succeeded();
  breaker.Failed(now);
  EXPECT_TRUE(breaker.Allows(now)) << "not in a row";
  breaker.Failed(now);
  EXPECT_TRUE(breaker.is_open());
  EXPECT_FALSE(breaker.Allows(now + milliseconds(99)));
  now += milliseconds(100);
  EXPECT_TRUE(breaker.Allows(now));
  EXPECT_FALSE(breaker.Allows(now)) << "one is trying";
  // Each time longer, to a bound.
  for (const int pause : {200, 300, 300}) {
    breaker.Failed(now);
    EXPECT_FALSE(breaker.Allows(now + milliseconds(pause - 1))) << pause;
    now += milliseconds(pause);
    EXPECT_TRUE(breaker.Allows(now)) << pause;
  }
  breaker.Succeeded();
  EXPECT_TRUE(breaker.Allows(now) && breaker.Allows(now));
  EXPECT_EQ(breaker.openings(), 1u);
}

}  // namespace
}  // namespace acceld::cache::redis
