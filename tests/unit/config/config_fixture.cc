#include "tests/unit/config/config_fixture.h"

#include "common/check.h"
#include "gtest/gtest.h"

namespace acceld::testing {

config::DaemonConfig ParsedCommandLine::Config() const {
  config::FixedSources fixed = sources;
  fixed.file = "/dev/null";
  const absl::StatusOr<config::Effective> effective = config::Effective::Load(fixed);
  ACCELD_CHECK(effective.ok());
  return effective->ToDaemonConfig();
}

ParsedCommandLine ParseArguments(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "acceld");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  ParsedCommandLine out;
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  out.outcome =
      config::ParseCommandLine(static_cast<int>(argv.size()), argv.data(), "1.2.3", out.sources);
  ::testing::internal::GetCapturedStdout();
  out.errors = ::testing::internal::GetCapturedStderr();
  return out;
}

}  // namespace acceld::testing
