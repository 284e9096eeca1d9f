#include "client/tools/accelctl/cache/warm.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/file.h"
#include "client/tools/accelctl/argument.h"
#include "client/tools/accelctl/program_arguments.h"
#include "client/tools/accelctl/views/format.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr char kMargin[] = "                     ";  // Below a path.

// A program to compile, with its arguments and target.
struct Item {
  std::string path;
  std::vector<std::string> arguments;
  std::string target;  // Empty: the session's device.
};

bool IsProgram(const fs::path& path) {
  const std::string name = path.filename().string();
  return absl::EndsWith(name, ".mlir") || absl::EndsWith(name, ".mlir.bc") ||
         absl::EndsWith(name, ".stablehlo");
}

absl::Status AddFolder(const std::string& folder, std::vector<Item>& items) {
  std::vector<Item> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_regular_file(error) && IsProgram(it->path())) found.push_back({it->path().string()});
  }
  if (error) return absl::ErrnoToStatus(error.value(), folder);
  if (found.empty()) return absl::NotFoundError(absl::StrCat(folder, ": no programs in it"));
  std::sort(found.begin(), found.end(),
            [](const Item& a, const Item& b) { return a.path < b.path; });
  items.insert(items.end(), found.begin(), found.end());
  return absl::OkStatus();
}

absl::Status AddList(const std::string& path, std::vector<Item>& items) {
  ACCELD_ASSIGN_OR_RETURN(const std::string text, client::ReadFile(path));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view content = line.substr(0, line.find('#'));
    std::vector<std::string> words =
        absl::StrSplit(content, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    const fs::path folder = fs::path(path).parent_path();
    Item item{.path = (folder / words[0]).string()};
    for (size_t i = 1; i < words.size(); ++i) {
      item.arguments.push_back(IsArgumentFile(words[i]) ? (folder / words[i]).string() : words[i]);
    }
    items.push_back(std::move(item));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Item>> ItemsOf(const WarmFlags& flags) {
  std::vector<Item> programs;
  for (const std::string& path : flags.paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      ACCELD_RETURN_IF_ERROR(AddFolder(path, programs));
    } else if (absl::EndsWith(path, ".list")) {
      ACCELD_RETURN_IF_ERROR(AddList(path, programs));
    } else {
      programs.push_back({path, flags.arguments});
    }
  }
  std::vector<Item> items;
  for (const Item& program : programs) {
    if (flags.targets.empty()) items.push_back(program);
    for (const std::string& target : flags.targets) {
      items.push_back({program.path, program.arguments, target});
    }
  }
  return items;
}

Future<client::CompileInfo> Begin(client::Client& client, const Item& item,
                                  const std::string& entry) {
  const absl::StatusOr<client::Program> program = LoadProgram(item.path, entry);
  if (!program.ok()) return absl::StatusOr<client::CompileInfo>(program.status());
  absl::StatusOr<std::vector<ir::TensorType>> types = ParseArgumentTypes(item.arguments, *program);
  if (!types.ok()) return absl::StatusOr<client::CompileInfo>(types.status());
  return item.target.empty() ? client.Compile(*program, *std::move(types))
                             : client.CompileFor(item.target, *program, *std::move(types));
}

// Prints and counts the results so far.
struct WarmReport {
  bool json = false;
  Json programs = Json::array();
  int compiled = 0, found = 0, failed = 0;

  void Add(const Item& item, const absl::StatusOr<client::CompileInfo>& info) {
    const bool is_new = info.ok() && info->verdict == client::CacheVerdict::kMiss;
    ++(!info.ok() ? failed : is_new ? compiled : found);
    const std::string what =
        info.ok() ? std::string(is_new ? "compiled" : client::CacheVerdictName(info->verdict))
                  : "failed";
    if (json) {
      Json row = {{"path", item.path}, {"target", item.target}, {"result", what}};
      if (info.ok()) {
        row["key"] = info->cache_key;
        row["ms"] = info->compile_ms;
        if (info->memory.has_value()) {
          row["memory"] = {{"code_bytes", info->memory->code_bytes},
                           {"constants_bytes", info->memory->constants_bytes},
                           {"arena_bytes", info->memory->arena_bytes},
                           {"alias_bytes", info->memory->alias_bytes}};
        }
      } else {
        row["error"] = info.status().ToString();
      }
      programs.push_back(std::move(row));
      return;
    }
    // A line for the program, and one each for its target and what is wrong with it.
    std::cout << absl::StreamFormat("%-9s %9s  %s\n", what,
                                    info.ok() ? TimeText(info->compile_ms / 1e3) : "-", item.path);
    if (!item.target.empty()) std::cout << kMargin << "for " << item.target << "\n";
    if (!info.ok()) std::cout << kMargin << info.status().message() << "\n";
    std::cout.flush();
  }
};

}  // namespace

absl::StatusOr<int> WarmCache(client::Client& client, const WarmFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Item> items, ItemsOf(flags));
  WarmReport report{.json = flags.json};
  std::deque<std::pair<const Item*, Future<client::CompileInfo>>> pending;
  const auto take = [&] {
    const auto& [item, future] = pending.front();
    report.Add(*item, future.Await());
    pending.pop_front();
  };
  for (const Item& item : items) {
    if (pending.size() >= static_cast<size_t>(flags.jobs)) take();
    pending.emplace_back(&item, Begin(client, item, flags.entry));
  }
  while (!pending.empty()) take();
  if (flags.json) {
    std::cout << Json({{"programs", report.programs},
                       {"compiled", report.compiled},
                       {"found", report.found},
                       {"failed", report.failed}})
                     .dump(2)
              << "\n";
  } else {
    std::cout << absl::StreamFormat("%d compiled, %d found, %d failed\n", report.compiled,
                                    report.found, report.failed);
  }
  return report.failed == 0 ? 0 : 1;
}

}  // namespace acceld::tools
