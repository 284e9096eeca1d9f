// deploy/METRICS.md is written from the list that it is about; with ACCELD_UPDATE_TEXT_TESTS=1 it
// is written anew. The list itself keeps to the rules for names.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observability/metrics.h"

namespace acceld::observability {
namespace {

TEST(MetricsDocument, IsWhatTheListSays) {
  const std::string path = ACCELD_METRICS_DOCUMENT;
  if (std::getenv("ACCELD_UPDATE_TEXT_TESTS") != nullptr) std::ofstream(path) << MetricsDocument();
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, MetricsDocument())
      << "write it anew: ACCELD_UPDATE_TEXT_TESTS=1 metrics_document_test";
}

TEST(Metrics, NamesFollowTheRulesOfPrometheus) {
  std::set<absl::string_view> names;
  for (const MetricInfo& metric : Metrics()) {
    const std::string name(metric.name);
    EXPECT_TRUE(names.insert(metric.name).second) << name;
    EXPECT_THAT(name, ::testing::MatchesRegex("acceld_[a-z_]+"));
    EXPECT_EQ(absl::EndsWith(name, "_total"), metric.kind == MetricKind::kCounter) << name;
    EXPECT_FALSE(absl::StrContains(name, "milliseconds")) << name << " must be in seconds";
    EXPECT_TRUE(metric.kind != MetricKind::kHistogram || absl::EndsWith(name, "_seconds")) << name;
    EXPECT_TRUE(absl::EndsWith(metric.help, ".")) << name;
    for (absl::string_view label : absl::StrSplit(metric.labels, ", ", absl::SkipEmpty())) {
      EXPECT_THAT(std::string(label), ::testing::MatchesRegex("[a-z_]+")) << name;
      EXPECT_NE(label, "le") << name;
    }
  }
}

}  // namespace
}  // namespace acceld::observability
