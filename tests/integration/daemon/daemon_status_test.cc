// The daemon's own page, as HTTP and as a browser shows it.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/support/daemon/http.h"
#include "tests/support/daemon/redis_server.h"

namespace acceld::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPassword[] = "hush-hush";

// The first of these programs that is there; empty without any.
std::string FindBrowser() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/google-chrome"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

class DaemonStatusTest : public DaemonTest {
 protected:
  // With a remote cache, where Redis is installed.
  void SetUp() override {
    absl::StatusOr<RedisServer> redis =
        RedisServer::Start(folder_.path(), {"--requirepass", kPassword});
    std::vector<std::string> flags = {"--metrics-listen", "127.0.0.1:0", "--cpu-devices", "2"};
    if (redis.ok()) {
      redis_ = std::make_unique<RedisServer>(*std::move(redis));
      const std::string key = folder_.path() + "/team.key";
      std::ofstream(key) << std::string(64, '7') << "\n";
      ASSERT_EQ(RunCommand({"/bin/chmod", "600", key}).exit_code, 0);
      flags.insert(flags.end(), {"--remote-cache-url",
                                 absl::StrCat("redis://:", kPassword, "@", redis_->address()),
                                 "--remote-cache-key-file", key});
    } else {
      ASSERT_TRUE(absl::IsNotFound(redis.status())) << redis.status();
      GTEST_LOG_(WARNING) << "redis-server is not installed: the page has no remote cache";
    }
    ASSERT_NO_FATAL_FAILURE(Start(flags));
    std::smatch match;
    std::string log;
    ASSERT_TRUE(Eventually([&] {
      log = daemon_->Log();
      return std::regex_search(log, match, std::regex("http://127\\.0\\.0\\.1:([0-9]+)/metrics"));
    })) << log;
    port_ = static_cast<uint16_t>(std::stoi(match[1]));
  }

  // Runs a program through accelctl.
  void RunProgram() {
    const std::string program = folder_.path() + "/increment.mlir";
    std::ofstream(program) << kIncrementText;
    const CommandResult result = Accelctl({"run", program, "--arg", "f32[16]=iota"});
    ASSERT_EQ(result.exit_code, 0) << result.output;
  }
  std::string Exchange(const std::string& request) {
    absl::StatusOr<TcpConnection> connection = TcpConnection::Open(port_);
    if (!connection.ok() || !connection->Send(request + " HTTP/1.1\r\n\r\n").ok()) return "";
    return connection->ReadToEnd();
  }
  Json Status() {
    const absl::StatusOr<HttpReply> reply = HttpGet(port_, "/status.json");
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? Json::parse(reply->body, nullptr, false) : Json();
  }
  // Whether a series of the last hour has a value.
  static bool HasValue(const Json& series) {
    return std::any_of(series.begin(), series.end(), [](const Json& v) { return v.is_number(); });
  }
  // What the browser says when it is at the page with these flags: the document that it has in the
  // end, and whatever it complains about.
  std::string Browse(const std::string& browser, const std::vector<std::string>& flags) {
    std::vector<std::string> argv = {"/usr/bin/timeout",
                                     "120",
                                     browser,
                                     "--headless",
                                     "--no-sandbox",
                                     "--disable-gpu",
                                     "--disable-dev-shm-usage",
                                     "--hide-scrollbars",
                                     "--no-first-run",
                                     "--disable-background-networking",
                                     "--enable-logging=stderr",
                                     "--user-data-dir=" + folder_.path() + "/browser"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    argv.push_back(absl::StrCat("http://127.0.0.1:", port_, "/"));
    const CommandResult result = RunCommand(argv);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return result.output;
  }

  std::unique_ptr<RedisServer> redis_;
  uint16_t port_ = 0;
};

TEST_F(DaemonStatusTest, JsonSaysWhatWasDone) {
  for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(RunProgram());
  const std::shared_ptr<client::Client> client = Connect();
  ASSERT_TRUE(Eventually([&] { return Status()["sessions"]["open"] == 1; }));
  const Json status = Status();
  ASSERT_EQ(status["devices"].size(), 2u);
  EXPECT_EQ(status["accepting"], true);
  EXPECT_EQ(status["devices"][0]["executions_ok"].get<int>() +
                status["devices"][1]["executions_ok"].get<int>(),
            3);
  EXPECT_EQ(status["devices"][0]["healthy"], true);
  EXPECT_EQ(status["cache"]["misses"], 1);
  EXPECT_EQ(status["cache"]["compiles"], 1);
  EXPECT_EQ(status["sessions"]["identities"].size(), 1u);
  EXPECT_EQ(status["cache"].contains("remote"), redis_ != nullptr);
  if (redis_ == nullptr) return;
  EXPECT_EQ(status["cache"]["remote"]["url"], absl::StrCat("redis://", redis_->address()));
  EXPECT_EQ(status["cache"]["remote"]["up"], true);
  ASSERT_TRUE(Eventually([&] { return Status()["cache"]["remote"]["saved"] == 1; }));
}

TEST_F(DaemonStatusTest, TheLastHourBeginsWithTheDaemon) {
  ASSERT_NO_FATAL_FAILURE(RunProgram());
  Json devices;
  ASSERT_TRUE(Eventually([&] {
    devices = Status()["history"]["devices"];
    return devices.size() == 2 && HasValue(devices[0]["busy_share"]);
  }));
  EXPECT_EQ(devices[0]["busy_share"].size(), 360u);
  EXPECT_TRUE(devices[0]["busy_share"][0].is_null());
  for (const char* const key :
       {"busy_share", "executions_per_second", "queued", "memory_used_bytes"}) {
    for (const Json& device : devices) EXPECT_TRUE(HasValue(device[key])) << key;
  }
  const Json cache = Status()["history"]["cache"];
  for (const char* const key : {"hits_per_second", "misses_per_second"}) {
    EXPECT_TRUE(HasValue(cache[key])) << key;
  }
  EXPECT_THAT(Exchange("GET /"), HasSubstr("<title id=\"device-1-busy_share\">"));
}

TEST_F(DaemonStatusTest, ThePageIsServedWithItsPolicy) {
  for (const char* path : {"/", "/status", "/?x=1"}) {
    const std::string answer = Exchange(absl::StrCat("GET ", path));
    EXPECT_THAT(answer, ::testing::StartsWith("HTTP/1.1 200 OK\r\n")) << path;
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: text/html; charset=utf-8\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Security-Policy: default-src 'none'; "));
    EXPECT_THAT(answer, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nCache-Control: no-store\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("Set-Cookie")));
    EXPECT_THAT(answer, HasSubstr("<h1>acceld</h1>"));
  }
  EXPECT_THAT(Exchange("HEAD /"), ::testing::EndsWith("\r\n\r\n"));
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    EXPECT_THAT(Exchange(absl::StrCat(method, " /")), ::testing::StartsWith("HTTP/1.1 405 "));
  }
}

TEST_F(DaemonStatusTest, SaysThatItDrains) {
  EXPECT_THAT(Exchange("GET /"), HasSubstr("<title>Serving"));
  ASSERT_EQ(Accelctl({"drain"}).exit_code, 0);
  EXPECT_THAT(Exchange("GET /"), HasSubstr("<title>Draining"));
  EXPECT_EQ(Status()["accepting"], false);
  ASSERT_EQ(Accelctl({"drain", "--undo"}).exit_code, 0);
  EXPECT_EQ(Status()["accepting"], true);
}

TEST_F(DaemonStatusTest, TroubleWithTheRemoteCacheIsShownWithoutItsPassword) {
  if (redis_ == nullptr) GTEST_SKIP() << "redis-server is not installed";
  redis_->process().Signal(SIGKILL);
  ASSERT_NO_FATAL_FAILURE(RunProgram());
  ASSERT_TRUE(Eventually([&] { return Status()["cache"]["remote"]["calls_failed"] > 0; }));
  ASSERT_TRUE(Eventually([&] { return !Status()["trouble"].empty(); })) << daemon_->Log();
  const std::string page = Exchange("GET /");
  EXPECT_THAT(page, HasSubstr("<bdi>remote cache: "));
  EXPECT_THAT(page, Not(HasSubstr(kPassword)));
  EXPECT_THAT(Exchange("GET /status.json"), Not(HasSubstr(kPassword)));
}

TEST_F(DaemonStatusTest, ABrowserShowsIt) {
  const std::string browser = FindBrowser();
  if (browser.empty()) {
    GTEST_SKIP() << "NO BROWSER: chromium is not installed, so nobody has looked at the page "
                    "(deploy/install_packages.sh browser)";
  }
  for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(RunProgram());
  const std::shared_ptr<client::Client> client = Connect();
  const client::Array held = *client->Upload(Floats(std::vector<float>(1 << 20, 1)));
  ASSERT_TRUE(held.Await().ok());
  ASSERT_TRUE(
      Eventually([&] { return HasValue(Status()["history"]["devices"][0]["busy_share"]); }));

  const std::string document = Browse(browser, {"--dump-dom"});
  EXPECT_THAT(document, HasSubstr("<h1>acceld</h1>"));
  EXPECT_THAT(document, HasSubstr("<span class=\"pill good\">Serving</span>"));
  EXPECT_THAT(document, HasSubstr("<h2 id=\"trouble\">"));
  // The browser has taken the lines for SVG, and has drawn them.
  EXPECT_THAT(document, HasSubstr("<desc id=\"device-0-busy_share-values\">Latest "));
  EXPECT_THAT(document,
              ::testing::ContainsRegex("</desc><path d=\"M[0-9]+ [0-9]+[^\"]*\"></path></svg>"));
  if (redis_ != nullptr) {
    EXPECT_THAT(document, HasSubstr("redis://" + redis_->address()));
  }
  // The policy lets the style and the script in: the script has shown what only it can do.
  EXPECT_THAT(document, HasSubstr("<span id=\"live\">"));
  EXPECT_THAT(document, Not(HasSubstr("Content Security Policy")));
  EXPECT_THAT(document, Not(HasSubstr("CONSOLE")));

  // Kept where someone wants to look at them.
  const char* const wanted = getenv("ACCELD_SCREENSHOT_DIR");
  const std::string folder = wanted != nullptr ? wanted : folder_.path();
  const struct {
    const char *name, *size, *scheme;
  } kViews[] = {
      {"light", "1200,2300", "1"}, {"dark", "1200,2300", "0"}, {"narrow", "500,3200", "1"}};
  std::vector<std::string> pictures;
  for (const auto& view : kViews) {
    const std::string path = absl::StrCat(folder, "/status-", view.name, ".png");
    Browse(browser, {absl::StrCat("--screenshot=", path), absl::StrCat("--window-size=", view.size),
                     absl::StrCat("--blink-settings=preferredColorScheme=", view.scheme)});
    pictures.push_back(ReadText(path));
    EXPECT_TRUE(absl::StartsWith(pictures.back(), "\x89PNG")) << view.name;
    // An empty page takes a tenth.
    EXPECT_GT(pictures.back().size(), 50'000u) << view.name;
  }
  EXPECT_NE(pictures[0], pictures[1]);
}

}  // namespace
}  // namespace acceld::testing
