#include "client/tools/accelctl/cache.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/file.h"
#include "client/tools/accelctl/argument.h"
#include "client/tools/accelctl/views/format.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kNotFoundExitCode = 3;

// A program to compile, with its argument types and target.
struct Item {
  std::string path;
  std::vector<std::string> types;
  std::string target;  // Empty: the session's device.
};

absl::StatusOr<client::Program> LoadProgram(const std::string& path, const std::string& entry) {
  std::string bytes;
  if (path == "-") {
    bytes.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    ACCELD_ASSIGN_OR_RETURN(bytes, client::ReadFile(path));
  }
  return client::Program::FromBytes(bytes, path == "-" ? "<stdin>" : path, entry);
}

// Returns the given argument types, or those of the program if none are given.
absl::StatusOr<std::vector<ir::TensorType>> ArgumentTypes(const client::Program& program,
                                                          const std::vector<std::string>& given) {
  std::vector<ir::TensorType> types;
  for (const std::string& text : given) {
    ACCELD_ASSIGN_OR_RETURN(ir::TensorType type, ParseArgumentType(text));
    types.push_back(std::move(type));
  }
  if (!types.empty()) return types;
  for (const ir::TensorType& type : program.parameter_types()) {
    if (!type.IsStatic()) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", types.size(), " is ", type.ToString(),
                       ": give the types of all arguments, such as f32[8,128]"));
    }
    types.push_back(type);
  }
  return types;
}

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
    Item item{.path = (fs::path(path).parent_path() / words[0]).string()};
    item.types.assign(words.begin() + 1, words.end());
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
      programs.push_back({path, flags.types});
    }
  }
  std::vector<Item> items;
  for (const Item& program : programs) {
    if (flags.targets.empty()) items.push_back(program);
    for (const std::string& target : flags.targets) {
      items.push_back({program.path, program.types, target});
    }
  }
  return items;
}

Future<client::CompileInfo> Begin(client::Client& client, const Item& item,
                                  const std::string& entry) {
  const absl::StatusOr<client::Program> program = LoadProgram(item.path, entry);
  if (!program.ok()) return absl::StatusOr<client::CompileInfo>(program.status());
  absl::StatusOr<std::vector<ir::TensorType>> types = ArgumentTypes(*program, item.types);
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
    const std::string target = item.target.empty() ? "" : absl::StrCat(" for ", item.target);
    if (info.ok()) {
      std::cout << absl::StreamFormat("%-9s %8.1f ms  %s%s\n", what, info->compile_ms, item.path,
                                      target);
    } else {
      std::cout << absl::StreamFormat("%-9s %11s  %s%s: %s\n", what, "", item.path, target,
                                      info.status().message());
    }
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

absl::StatusOr<int> VerifyCache(client::Admin& admin, bool remote) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::CacheCheck> checks, admin.VerifyCache(remote));
  uint64_t bad = 0;
  for (const client::CacheCheck& check : checks) {
    std::cout << absl::StreamFormat("%-7s %d good (%s), %d bad\n", check.tier, check.entries,
                                    SizeText(check.bytes), check.bad);
    bad += check.bad;
  }
  return bad == 0 ? 0 : 1;
}

absl::Status PurgeCache(client::Admin& admin, const std::vector<std::string>& keys, bool remote) {
  ACCELD_ASSIGN_OR_RETURN(const client::CacheRemoved removed, admin.PurgeCache(keys, remote));
  std::cout << absl::StreamFormat("removed %d from memory, %d from disk", removed.memory,
                                  removed.disk);
  if (remote) std::cout << absl::StreamFormat(", %d remote", removed.remote);
  std::cout << "\n";
  return absl::OkStatus();
}

absl::StatusOr<int> ExplainCache(client::Client& client, const ExplainFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const client::Program program, LoadProgram(flags.program, flags.entry));
  ACCELD_ASSIGN_OR_RETURN(std::vector<ir::TensorType> types, ArgumentTypes(program, flags.types));
  const absl::StatusOr<client::CacheExplanation> explained =
      client.Explain(program, std::move(types), {}, flags.target).Await();
  ACCELD_RETURN_IF_ERROR(explained.status());
  const int exit_code = explained->tier.empty() ? kNotFoundExitCode : 0;
  if (flags.json) {
    Json components = Json::array();
    for (const auto& component : explained->components) {
      Json row = {{"name", component.name}, {"wanted", component.wanted}};
      if (explained->nearest.has_value()) {
        row["nearest"] = component.nearest;
        row["differs"] = component.wanted != component.nearest;
      }
      components.push_back(std::move(row));
    }
    Json nearest;
    if (explained->nearest.has_value()) {
      nearest = {{"key", explained->nearest->key}, {"producer", explained->nearest->producer}};
    }
    std::cout << Json({{"tier", explained->tier}, {"components", components}, {"nearest", nearest}})
                     .dump(2)
              << "\n";
    return exit_code;
  }
  if (!explained->tier.empty()) {
    std::cout << "found: " << explained->tier << "\n";
  } else if (!explained->nearest.has_value()) {
    std::cout << "not found, and nothing like it: no entry has its program, or its name\n";
  } else {
    std::cout << "not found; the nearest entry, " << explained->nearest->key;
    if (!explained->nearest->producer.empty()) {
      std::cout << " of " << explained->nearest->producer;
    }
    std::cout << ", differs in\n";
  }
  for (const auto& component : explained->components) {
    if (!explained->nearest.has_value()) {
      std::cout << absl::StreamFormat("  %-13s %s\n", component.name, component.wanted);
    } else if (component.wanted != component.nearest) {
      std::cout << absl::StreamFormat("  %-13s wanted   %s\n  %-13s nearest  %s\n", component.name,
                                      component.wanted, "", component.nearest);
    }
  }
  return exit_code;
}

}  // namespace acceld::tools
