#include <regex>
#include <set>

#include "absl/strings/match.h"
#include "common/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observability/status_page/html.h"
#include "server/observability/status_page/page.h"
#include "tests/unit/observability/status_sample.h"

namespace acceld::observability {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::SampleStatus;

std::vector<std::string> TagsOf(const std::string& html) {
  const std::regex tag("<[^>]*>");
  std::vector<std::string> tags;
  for (std::sregex_iterator it(html.begin(), html.end(), tag), end; it != end; ++it) {
    tags.push_back(it->str());
  }
  return tags;
}

// What a reader gets: without tags, style and script, with single spaces.
std::string TextOf(const std::string& html) {
  const size_t begin = html.find("<main>"), end = html.find("</main>");
  const std::string text =
      std::regex_replace(html.substr(begin, end - begin), std::regex("<[^>]*>"), " ");
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST(EscapeHtmlTest, LeavesNoMarkup) {
  EXPECT_EQ(EscapeHtml("<b a=\"1\" b='2'>&amp;</b>"),
            "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;");
  EXPECT_EQ(EscapeHtml("tau \xcf\x84, a turtle \xf0\x9f\x90\xa2"),
            "tau \xcf\x84, a turtle \xf0\x9f\x90\xa2");
}

TEST(EscapeHtmlTest, WhatCannotStandThereIsWrittenOut) {
  EXPECT_EQ(EscapeHtml(absl::string_view("a\0b\x1b[31m\x7f", 9)), "a\\x00b\\x1B[31m\\x7F");
  EXPECT_EQ(EscapeHtml("\xff<\xc3"), "\\xFF&lt;\\xC3");
  EXPECT_EQ(EscapeHtml("\xc2\x9b\xc2\xa0"), "\\xC2\\x9B\xc2\xa0");
  EXPECT_EQ(EscapeHtml("a\n\tb"), "a\n\tb");
}

TEST(HtmlTest, OnlyLiteralsAreMarkup) {
  const char* const pointer = "<i>";
  Html html;
  html << "<b>" << std::string("<i>") << pointer << absl::string_view("<i>") << "</b>";
  EXPECT_EQ(std::move(html).Take(), "<b>&lt;i&gt;&lt;i&gt;&lt;i&gt;</b>");
}

TEST(StatusPageTest, NamesAddNoMarkup) {
  const std::string plain = RenderPage(SampleStatus("name"));
  for (const std::string& hostile :
       {std::string("<script>alert(1)</script>"), std::string("\"><img src=x onerror=alert(1)>"),
        std::string("' onmouseover='alert(1)"), std::string("</main></body><body onload=x>"),
        std::string("<!-- "), std::string("]]> --> &lt;b&gt; &#60;b&#62;"),
        std::string("\xc0\xbcscript\xc0\xbe"), std::string("a\0<b>", 5),
        std::string("\xff\xfe<b>")}) {
    const std::string page = RenderPage(SampleStatus(hostile));
    EXPECT_EQ(TagsOf(page), TagsOf(plain)) << hostile;
    EXPECT_TRUE(IsUtf8(page)) << hostile;
    EXPECT_FALSE(absl::StrContains(page, '\0'));
  }
}

TEST(StatusPageTest, NamesStandApartFromTheTextAround) {
  // What turns the direction of writing does not get past its element.
  const std::string name =
      "\xe2\x80\xae"
      "evil";
  const std::string page = RenderPage(SampleStatus(name));
  size_t found = 0;
  for (size_t at = page.find(name); at != std::string::npos; at = page.find(name, at + 1)) {
    const size_t open = page.rfind('<', at);
    EXPECT_EQ(page.substr(open, 5), "<bdi>") << page.substr(open, 80);
    ++found;
  }
  EXPECT_GE(found, 10u);
}

TEST(StatusPageTest, SaysHowTheDaemonIs) {
  DaemonStatus status = SampleStatus("name");
  std::string page = RenderPage(status);
  EXPECT_THAT(page, HasSubstr("<title>Device lost - acceld</title>"));
  EXPECT_THAT(TextOf(page), HasSubstr("acceld 1.2.3 Device lost as of 2026-11-22 05:28:44 UTC"));
  EXPECT_THAT(TextOf(page), HasSubstr("Uptime 1 d 2 h"));
  status.devices[1].error.clear();
  page = RenderPage(status);
  EXPECT_THAT(page, HasSubstr("<title>Serving - acceld</title>"));
  EXPECT_THAT(TextOf(page), Not(HasSubstr("takes no new sessions")));
  status.accepting = false;
  page = RenderPage(status);
  EXPECT_THAT(page, HasSubstr("<title>Draining - acceld</title>"));
  EXPECT_THAT(TextOf(page), HasSubstr("takes no new sessions"));
}

TEST(StatusPageTest, SumsUp) {
  const std::string text = TextOf(RenderPage(SampleStatus("name")));
  EXPECT_THAT(text, HasSubstr("Executions 1.23 M 23 failed, 45 cancelled"));
  EXPECT_THAT(text, HasSubstr("Queued 6 executions and uploads"));
  EXPECT_THAT(text, HasSubstr("Sessions 3 41 since the start"));
  EXPECT_THAT(text, HasSubstr("Cache hits 90 % of 1,000 lookups"));
  EXPECT_THAT(text, HasSubstr("Compiles 321 9 failed, mean 125 ms"));
}

TEST(StatusPageTest, ShowsDevices) {
  const std::string page = RenderPage(SampleStatus("name"));
  const std::string text = TextOf(page);
  EXPECT_THAT(text, HasSubstr("name 0 Healthy Device 0 &middot; cuda &middot; sm_90 "
                              "20 GiB of 80 GiB peak 60 GiB"));
  EXPECT_THAT(text, HasSubstr("Executions 1,234,567 Failed 23 Cancelled 45 Queued 6 "
                              "Mean time 45.6 us Mean wait - In gangs 2 Spilled arrays 77"));
  EXPECT_THAT(text, HasSubstr("name 1 Lost Device 1"));
  EXPECT_THAT(text, HasSubstr("lost: name"));
  EXPECT_THAT(page, HasSubstr("aria-label=\"Memory: 25 % in use\""));
  EXPECT_THAT(page, HasSubstr("<rect class=\"fill\" width=\"25%\""));
  EXPECT_THAT(page, HasSubstr("<rect class=\"full\" width=\"94%\""));
  EXPECT_THAT(text, HasSubstr("Host memory for spilled arrays 1 GiB of 8 GiB"));
  EXPECT_THAT(text, HasSubstr("No rocm devices: none: name"));
  EXPECT_THAT(text, HasSubstr("cuda without libcudnn : not found: name"));
}

TEST(StatusPageTest, ShowsProgramsOverSeveralDevicesWhereThereWereSome) {
  DaemonStatus status = SampleStatus("name");
  EXPECT_THAT(TextOf(RenderPage(status)),
              HasSubstr("Gangs: programs over several devices Begun 5,432 Running 2 "
                        "Waiting for devices 1 Collectives 98,765 Exchanged 6 MiB "
                        "Waited for others 1.50 s"));
  status.stats.gangs = 0;
  EXPECT_THAT(TextOf(RenderPage(status)), HasSubstr("Waiting for devices 1"));
  status.stats.gangs_waiting = 0;
  status.devices[0].gangs = 0;
  EXPECT_THAT(TextOf(RenderPage(status)), Not(::testing::ContainsRegex("[Gg]angs")));
}

TEST(StatusPageTest, ShowsTheLastHourOfDevicesAndCache) {
  const std::string page = RenderPage(SampleStatus("name"));
  const std::string text = TextOf(page);
  EXPECT_THAT(text, HasSubstr("Busy 50 % Busy, device 0, in the last 60 min "
                              "Latest 50 %, most 50 %, least 25 %. No values for 30 min. "
                              "60 min ago most 50 % now Executions 12.5 /s "));
  for (const char* const beside :
       {"60 min ago most 1,234 /s now Queued 6 ", "60 min ago most 7 now Memory in use 20 GiB ",
        "60 min ago most 20 GiB now", "Cache hits 45 /s ",
        "60 min ago most 90 /s now Cache misses 0 /s ", "60 min ago most 0.1 /s now"}) {
    EXPECT_THAT(text, HasSubstr(beside));
  }
  EXPECT_THAT(page, HasSubstr("<path d=\"M180 75L269 75L270 50L359 50\"/>"));
}

TEST(StatusPageTest, NamesOfElementsAreUnique) {
  const std::string page = RenderPage(SampleStatus("name"));
  const std::regex id(" id=\"([^\"]*)\"");
  std::set<std::string> ids;
  for (std::sregex_iterator it(page.begin(), page.end(), id), end; it != end; ++it) {
    EXPECT_TRUE(ids.insert((*it)[1]).second) << (*it)[1];
  }
  EXPECT_GE(ids.size(), 25u);
}

TEST(StatusPageTest, ShowsQueuesMostUrgentFirst) {
  EXPECT_THAT(TextOf(RenderPage(SampleStatus("name"))),
              HasSubstr("Device interactive normal batch 0 &middot; name 0 3 2 1 "
                        "1 &middot; name 1 0 0 0"));
}

TEST(StatusPageTest, ShowsSessionsByIdentity) {
  DaemonStatus status = SampleStatus("name");
  EXPECT_THAT(TextOf(RenderPage(status)),
              HasSubstr("Identity Sessions Handles Memory name 2 500 1 GiB (others) 1 5 0 B"));
  status.identities.clear();
  EXPECT_THAT(TextOf(RenderPage(status)), HasSubstr("No open sessions."));
}

TEST(StatusPageTest, ShowsTheCacheByTier) {
  DaemonStatus status = SampleStatus("name");
  std::string text = TextOf(RenderPage(status));
  EXPECT_THAT(text, HasSubstr("Memory 31 3 MiB 700 70 % 19 Disk 53 5 MiB 100 10 % 0 "
                              "Remote 90 9 % Joined a compile 10 1 % Compiled 100 10 %"));
  EXPECT_THAT(text, HasSubstr("13 bad entries"));
  EXPECT_THAT(text, HasSubstr("Remote cache Down redis://name:6379 &middot; read only "
                              "Read 1 MiB Written 2 MiB Hits 90 Refused 4"));
  status.stats.remote_cache.reset();
  text = TextOf(RenderPage(status));
  EXPECT_THAT(text, Not(HasSubstr("Remote")));
}

TEST(StatusPageTest, ShowsTrouble) {
  DaemonStatus status = SampleStatus("name");
  EXPECT_THAT(TextOf(RenderPage(status)), HasSubstr("Error failed: name &times; 12 2 min 5 s ago "
                                                    "Warning odd: name 3 h 0 min ago"));
  status.trouble.clear();
  EXPECT_THAT(TextOf(RenderPage(status)), HasSubstr("None since the start."));
}

TEST(StatusPageTest, AnIdleDaemonHasAPage) {
  EXPECT_THAT(TextOf(RenderPage(DaemonStatus())), HasSubstr("Cache hits - of 0 lookups"));
}

TEST(StatusPageTest, NeedsNothingFromElsewhere) {
  const std::string page = RenderPage(SampleStatus("name"));
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("style="), std::string::npos);  // The policy forbids it.
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("url("), std::string::npos);
}

TEST(StatusPageTest, ThePolicyLetsNothingElseIn) {
  EXPECT_THAT(PagePolicy(), ::testing::StartsWith("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(PagePolicy(), HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(PagePolicy(), Not(HasSubstr("unsafe")));
  EXPECT_THAT(PagePolicy(), Not(HasSubstr("*")));
}

}  // namespace
}  // namespace acceld::observability
