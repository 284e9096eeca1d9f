#include "common/net/addresses.h"

#include <gtest/gtest.h>

#include "gmock/gmock.h"
#include "tests/support/net/fake_names.h"
#include "tests/unit/status_matchers.h"

namespace acceld {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Texts(const std::vector<Address>& addresses) {
  std::vector<std::string> texts;
  for (const Address& address : addresses) texts.push_back(address.ToString());
  return texts;
}

std::vector<std::string> Parsed(absl::string_view text) {
  const absl::StatusOr<std::vector<Address>> addresses = ParseAddresses(text);
  EXPECT_THAT(addresses, IsOk()) << text;
  return addresses.ok() ? Texts(*addresses) : std::vector<std::string>();
}

auto IsRefused(const std::string& part) {
  return FailsWith(absl::StatusCode::kInvalidArgument, part);
}

TEST(AddressesTest, CommasStandBetweenWholeAddresses) {
  EXPECT_THAT(Parsed("127.0.0.1:7"), ElementsAre("127.0.0.1:7"));
  EXPECT_THAT(Parsed("tls://b:2,unix:/a.sock,tcp://[::1]:3,tls://b:2"),
              ElementsAre("tls://b:2", "unix:/a.sock", "[::1]:3", "tls://b:2"));
  EXPECT_THAT(ParseAddresses("tls://a:1,b:2"), IsRefused("'b' is not a loopback host"));
  EXPECT_THAT(ParseAddresses("tls://a:1,b:2"), IsRefused("write tls://HOST:PORT"));
  for (const char* text : {"", ",", "tls://a:1,", ",tls://a:1", "tls://a:1,,tls://b:1"}) {
    EXPECT_THAT(ParseAddresses(text), IsRefused("address '': expected unix:PATH")) << text;
  }
}

TEST(AddressesTest, ADaemonListensAtOneAddress) {
  EXPECT_THAT(ParseAddress("unix:/a,unix:/b"), IsRefused("a path has no comma"));
  EXPECT_FALSE(ParseAddress("tls://a:1,tls://b:2").ok());
  EXPECT_FALSE(ParseAddress("tls://a@10.0.0.1:1").ok());
}

TEST(AddressesTest, OneOfTheAddressesOfANameIsSingledOut) {
  EXPECT_THAT(Parsed("tls://a.example@10.0.0.3:70,tls://a@[2001:db8::1]:7"),
              ElementsAre("tls://a.example@10.0.0.3:70", "tls://a@[2001:db8::1]:7"));
  const Address address = ParseAddresses("tls://a.example@10.0.0.3:70")->front();
  EXPECT_EQ(address.HostAndPort(), "a.example:70");
  EXPECT_EQ(address.Endpoint(), "10.0.0.3:70");
  EXPECT_THAT(ParseAddresses("tls://a@b:7"),
              IsRefused("address 'tls://a@b:7': 'b' is not an IP address"));
  EXPECT_THAT(ParseAddresses("tls://@10.0.0.3:7"), IsRefused("'' is not a host"));
  EXPECT_THAT(ParseAddresses("tls://a@10.0.0.3"), IsRefused("expected"));
  EXPECT_THAT(ParseAddresses("localhost@127.0.0.1:7"), IsRefused("is not a loopback host"));
}

TEST(AddressesTest, ANameStandsForAllItsAddressesThePreferredFamilyFirst) {
  testing::SetName("several.test", {"10.0.0.3", "fd00::2", "10.0.0.1", "fd00::1", "10.0.0.3"});
  const absl::StatusOr<ResolvedAddresses> resolved =
      Resolve(ParseAddresses("tls://several.test:7")->front());
  ASSERT_THAT(resolved, IsOk());
  EXPECT_THAT(Texts(resolved->preferred),
              ElementsAre("tls://several.test@10.0.0.1:7", "tls://several.test@10.0.0.3:7"));
  EXPECT_THAT(Texts(resolved->others),
              ElementsAre("tls://several.test@[fd00::1]:7", "tls://several.test@[fd00::2]:7"));
}

TEST(AddressesTest, WithoutTlsTheNameIsGone) {
  testing::SetName("localhost", {"::1", "127.0.0.1"});
  const absl::StatusOr<ResolvedAddresses> resolved = Resolve(*ParseAddress("localhost:7"));
  ASSERT_THAT(resolved, IsOk());
  EXPECT_THAT(Texts(resolved->preferred), ElementsAre("[::1]:7"));
  EXPECT_THAT(Texts(resolved->others), ElementsAre("127.0.0.1:7"));
}

TEST(AddressesTest, WhatHasNoNameStandsForItself) {
  for (const char* text :
       {"unix:/a.sock", "127.0.0.1:7", "tls://[fd00::1]:7", "tls://nobody.test@10.0.0.1:7"}) {
    const absl::StatusOr<ResolvedAddresses> resolved = Resolve(ParseAddresses(text)->front());
    ASSERT_THAT(resolved, IsOk()) << text;
    EXPECT_THAT(Texts(resolved->preferred), ElementsAre(text));
    EXPECT_THAT(resolved->others, IsEmpty());
  }
}

TEST(AddressesTest, ANameThatNobodyKnowsIsNotFound) {
  EXPECT_THAT(Resolve(*ParseAddress("tls://nobody.invalid:7")),
              FailsWith(absl::StatusCode::kNotFound, "tls://nobody.invalid:7: "));
}

}  // namespace
}  // namespace acceld
