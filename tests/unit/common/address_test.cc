#include "common/net/address.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld {
namespace {

TEST(AddressTest, UnixPaths) {
  for (const char* text : {"unix:/run/acceld.sock", "unix:///run/acceld.sock"}) {
    const absl::StatusOr<Address> address = ParseAddress(text);
    ASSERT_THAT(address, IsOk());
    EXPECT_TRUE(address->is_unix());
    EXPECT_EQ(address->unix_path, "/run/acceld.sock");
    EXPECT_EQ(address->ToString(), "unix:/run/acceld.sock");
  }
  EXPECT_EQ(ParseAddress("unix:here.sock")->unix_path, "here.sock");
}

TEST(AddressTest, LoopbackHostsWithPorts) {
  const struct {
    const char* text;
    const char* host;
    uint16_t port;
  } cases[] = {{"127.0.0.1:7070", "127.0.0.1", 7070},
               {"127.8.8.8:0", "127.8.8.8", 0},
               {"localhost:65535", "localhost", 65535},
               {"[::1]:7070", "::1", 7070}};
  for (const auto& [text, host, port] : cases) {
    const absl::StatusOr<Address> address = ParseAddress(text);
    ASSERT_THAT(address, IsOk()) << text;
    EXPECT_FALSE(address->is_unix());
    EXPECT_EQ(address->host, host);
    EXPECT_EQ(address->port, port);
    EXPECT_EQ(address->ToString(), text);
  }
}

TEST(AddressTest, MalformedOnesAreNamedInTheMessage) {
  for (const char* text :
       {"", "acceld.sock", "localhost", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1: 70", "127.0.0.1:+70", "unix/run/a.sock"}) {
    EXPECT_THAT(ParseAddress(text),
                IsRefused(absl::StrCat("address '", text,
                                       "': expected unix:PATH, 127.0.0.1:PORT or tls://HOST:PORT")))
        << text;
  }
  EXPECT_THAT(ParseAddress("unix:"), IsRefused("address 'unix:' has no path"));
  EXPECT_THAT(ParseAddress("unix://"), IsRefused("address 'unix://' has no path"));
}

TEST(AddressTest, OtherHostsAreRefusedByName) {
  for (const char* host :
       {"0.0.0.0", "10.0.0.1", "example.org", "[::]", "128.0.0.1", "127.1", ""}) {
    const std::string text = absl::StrCat(host, ":7070");
    EXPECT_THAT(ParseAddress(text), IsRefused(absl::StrCat("address '", text, "': ")));
    EXPECT_THAT(ParseAddress(text), IsRefused("is not a loopback host"));
  }
}

TEST(AddressTest, TlsReachesOtherHosts) {
  const struct {
    const char* text;
    const char* host;
  } cases[] = {{"tls://node-3.example.org:7070", "node-3.example.org"},
               {"tls://0.0.0.0:7070", "0.0.0.0"},
               {"tls://[::]:7070", "::"}};
  for (const auto& [text, host] : cases) {
    const absl::StatusOr<Address> address = ParseAddress(text);
    ASSERT_THAT(address, IsOk()) << text;
    EXPECT_TRUE(address->tls);
    EXPECT_EQ(address->host, host);
    EXPECT_EQ(address->ToString(), text);
  }
  EXPECT_EQ(ParseAddress("tls://[::]:7070")->HostAndPort(), "[::]:7070");
  EXPECT_THAT(ParseAddress("tls://:7070"), IsRefused("'' is not a host"));
  EXPECT_THAT(ParseAddress("tls://a/b:7070"), IsRefused("'a/b' is not a host"));
  EXPECT_EQ(ParseAddress("tcp://127.0.0.1:7070")->ToString(), "127.0.0.1:7070");
  EXPECT_THAT(ParseAddress("tcp://10.0.0.1:7070"), IsRefused("write tls://HOST:PORT"));
}

TEST(AddressTest, LongPathsAreRefusedBeforeTheSystemCutsThem) {
  // sockaddr_un holds 108 bytes with the zero at the end.
  EXPECT_THAT(ParseAddress(absl::StrCat("unix:/", std::string(106, 'a'))), IsOk());
  EXPECT_THAT(ParseAddress(absl::StrCat("unix:/", std::string(107, 'a'))),
              IsRefused("has 108 bytes; the system allows 107"));
}

// Sets a variable for a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

TEST(AddressTest, ClientsLookAtTheirOwnSocketBeforeTheMachines) {
  char folder[] = "/tmp/acceld-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string socket = absl::StrCat(folder, "/acceld.sock");
  const Variable no_address("ACCELD_ADDRESS", nullptr);
  const Variable runtime("XDG_RUNTIME_DIR", folder);
  // This machine may have one of its own.
  EXPECT_THAT(DefaultClientAddress(), ::testing::AnyOf(::testing::Eq(absl::StrCat("unix:", socket)),
                                                       ::testing::Eq(std::string(kSystemAddress))));
  fclose(fopen(socket.c_str(), "w"));
  EXPECT_EQ(DefaultClientAddress(), absl::StrCat("unix:", socket));
  const Variable address("ACCELD_ADDRESS", "unix:/elsewhere");
  EXPECT_EQ(DefaultClientAddress(), "unix:/elsewhere");
  unlink(socket.c_str());
  rmdir(folder);
}

}  // namespace
}  // namespace acceld
