// The sessions of docs/transcripts, command by command against a daemon of their own. With
// ACCELD_UPDATE_TEXT_TESTS=1 they are written anew.

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/admin.h"
#include "common/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/transcripts/placeholders.h"
#include "tests/integration/transcripts/transcript.h"
#include "tests/support/daemon/process.h"
#include "tests/support/eventually.h"
#include "tests/support/source_path.h"

namespace acceld::testing {
namespace {

namespace fs = std::filesystem;

constexpr size_t kColumns = 80;

std::vector<std::string> TranscriptNames() {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(SourcePath("docs/transcripts"))) {
    if (file.path().extension() == ".txt") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Whether the lines that the command prints have to fit a terminal. They have, unless they are
// asked for whole or as JSON, or have a hash that a daemon is to read.
bool HasLimit(const std::string& command) {
  return !absl::StrContains(command, "--wide") && !absl::StrContains(command, "--json") &&
         !absl::StrContains(command, "token new");
}

class ReplayTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Starts a daemon that nobody has used, in a folder in which the commands are run.
  void SetUp() override {
    const std::string key = folder_.path() + "/team.key";
    std::ofstream(key) << std::string(64, '7') << "\n";
    fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
    fs::create_directory(work_);
    fs::create_directory_symlink(SourcePath("docs"), work_ + "/docs");
    setenv("ACCELD_PREPARED_MEMORY", "0", /*replace=*/0);
    absl::StatusOr<Process> daemon = Process::Start(
        {BinDir() + "/acceld", "--listen", address_, "--cache-dir", folder_.path() + "/cache",
         "--cuda-devices", "none", "--remote-cache-key-file", key},
        folder_.path() + "/acceld.log");
    ASSERT_TRUE(daemon.ok()) << daemon.status();
    daemon_ = std::make_unique<Process>(*std::move(daemon));
    auto admin = client::Admin::Connect({.address = address_,
                                         .connect_timeout = std::chrono::seconds(30),
                                         .wait_for_daemon = true});
    ASSERT_TRUE(admin.ok()) << admin.status() << ReadText(folder_.path() + "/acceld.log");
    admin_ = *std::move(admin);
    const std::vector<client::DeviceInfo> devices = admin_->ListDevices().value();
    std::array<char, 256> host{};
    ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
    placeholders_.AddValue("<address>", address_);
    placeholders_.AddValue("<architecture>", devices.at(0).architecture);
    placeholders_.AddValue("<cpu>", devices.at(0).name);
    placeholders_.AddValue("<host>", host.data());
    placeholders_.AddValue("<version>", admin_->GetStats()->version);
  }

  // Runs a command as a user of the daemon would, and returns what it printed, a line each, with
  // placeholders. When it has failed the last line says so.
  std::vector<std::string> Run(const std::string& command) {
    const CommandResult result =
        RunCommand({"/usr/bin/env", "--chdir=" + work_, "--unset=ACCELD_DEVICE", "HOME=" + work_,
                    "LC_ALL=C.UTF-8", "ACCELD_ADDRESS=" + address_,
                    absl::StrCat("PATH=", BinDir(), ":", getenv("PATH")), "/bin/bash", "-c",
                    placeholders_.Fill(command)});
    AwaitQuiet();
    std::vector<std::string> lines;
    for (const absl::string_view line : absl::StrSplit(result.output, '\n')) {
      EXPECT_FALSE(absl::StartsWith(line, "$ ") || absl::StartsWith(line, "#"))
          << "a transcript cannot hold " << line;
      if (result.exit_code == 0 && HasLimit(command)) {
        EXPECT_LE(Utf8Length(line), kColumns) << line;
      }
      lines.push_back(placeholders_.Replace(std::string(line)));
    }
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    if (result.exit_code != 0) lines.push_back(absl::StrCat("(ends with ", result.exit_code, ")"));
    return lines;
  }

  // Waits until the daemon has done what it does behind its answers: it has heard that clients are
  // gone, and written what it keeps.
  void AwaitQuiet() {
    EXPECT_TRUE(Eventually([&] {
      const std::vector<client::SessionInfo> sessions = admin_->ListSessions().value();
      for (const client::SessionInfo& session : sessions) {
        const size_t bracket = session.client_name.find('[');
        const int pid = std::atoi(session.client_name.substr(bracket + 1).c_str());
        if (pid > 0 && kill(pid, 0) != 0) return false;
      }
      const client::ServerStats stats = admin_->GetStats().value();
      return stats.cache_disk_entries >= stats.cache_memory_entries;
    }));
  }

  const TempDir folder_;
  const std::string work_ = folder_.path() + "/work";
  const std::string address_ = absl::StrCat("unix:", folder_.path(), "/d.sock");
  Placeholders placeholders_;
  std::unique_ptr<Process> daemon_;
  std::unique_ptr<client::Admin> admin_;
};

bool AreAlike(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), Placeholders::AreAlike);
}

TEST_P(ReplayTest, IsWhatAUserSees) {
  const std::string path = SourcePath(absl::StrCat("docs/transcripts/", GetParam(), ".txt"));
  Transcript transcript = ParseTranscript(ReadText(path));
  ASSERT_FALSE(transcript.empty());
  const bool writes = std::getenv("ACCELD_UPDATE_TEXT_TESTS") != nullptr;
  for (Exchange& exchange : transcript) {
    SCOPED_TRACE(exchange.command);
    const std::vector<std::string> output = Run(exchange.command);
    if (AreAlike(output, exchange.output)) continue;
    EXPECT_TRUE(writes) << path << " has\n"
                        << absl::StrJoin(exchange.output, "\n") << "\nbut it is\n"
                        << absl::StrJoin(output, "\n")
                        << "\nWrite it anew with ACCELD_UPDATE_TEXT_TESTS=1";
    exchange.output = output;
  }
  if (writes) std::ofstream(path) << FormatTranscript(transcript);
}

INSTANTIATE_TEST_SUITE_P(Transcripts, ReplayTest, ::testing::ValuesIn(TranscriptNames()),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param, {{"-", "_"}});
                         });

}  // namespace
}  // namespace acceld::testing
