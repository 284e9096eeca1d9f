#include "client/tools/accelctl/views/cache_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/tools/accelctl/views/format.h"
#include "client/tools/accelctl/views/table.h"
#include "client/tools/accelctl/views/types_text.h"
#include "common/cli/text.h"
#include "common/utf8.h"

namespace acceld::tools {
namespace {

constexpr char kMargin[] = "  ";

std::vector<Column> EntryColumns(bool remote, bool one_line) {
  std::vector<Column> columns = {{.heading = "key"}};
  if (!remote) columns.insert(columns.end(), {{.heading = "memory"}, {.heading = "disk"}});
  columns.insert(columns.end(), {{.heading = "size", .is_number = true},
                                 {.heading = "compile", .is_number = true},
                                 {.heading = "age", .is_number = true}});
  if (remote) columns.push_back({.heading = "producer", .least_columns = 8});
  if (!one_line) return columns;
  columns.insert(columns.end(),
                 {{.heading = "program"}, {.heading = "architecture"}, {.heading = "signature"}});
  return columns;
}

std::vector<std::string> EntryCells(const client::CacheEntryInfo& entry, bool remote,
                                    bool one_line) {
  std::vector<std::string> cells = {CellText(entry.key)};
  if (!remote) {
    cells.insert(cells.end(), {entry.in_memory ? "yes" : "-", entry.on_disk ? "yes" : "-"});
  }
  cells.insert(cells.end(), {SizeText(entry.size_bytes), TimeText(entry.compile_ms / 1e3),
                             TimeText(entry.age_s)});
  if (remote) cells.push_back(CellText(entry.producer));
  if (!one_line) return cells;
  cells.insert(cells.end(), {CellText(entry.program_name), CellText(entry.architecture),
                             CellText(entry.signature)});
  return cells;
}

// Returns the lines below an entry's own.
std::string AboutProgram(const client::CacheEntryInfo& entry, bool remote, size_t columns) {
  const std::string name =
      absl::StrCat(kMargin, cli::Cut(CellText(entry.program_name), columns / 3), "  ");
  std::string text = absl::StrCat(
      name, SignatureText(entry.signature, columns - std::min(columns, Utf8Length(name))), "\n");
  if (remote) absl::StrAppend(&text, kMargin, "for ", CellText(entry.architecture), "\n");
  return text;
}

std::string Component(const client::KeyComponent& component, const std::string& value,
                      const std::string& other, size_t indent, size_t columns) {
  if (component.name != "arguments") return cli::Filled(CellText(value), indent, columns);
  return DifferingTypesText(ParseSignature(value).arguments, ParseSignature(other).arguments,
                            columns - std::min(columns, indent));
}

}  // namespace

std::string CacheEntriesText(absl::Span<const client::CacheEntryInfo> entries, bool remote,
                             size_t columns) {
  const bool one_line = columns == cli::kUnlimitedColumns;
  Table table(EntryColumns(remote, one_line));
  for (const client::CacheEntryInfo& entry : entries) {
    table.Add(EntryCells(entry, remote, one_line));
  }
  if (table.empty() || one_line) {
    return table.Text(columns,
                      remote ? "entries in the cache that daemons share" : "entries in the cache");
  }
  const std::vector<std::string> lines = table.Lines(columns);
  std::string text = lines[0] + "\n";
  for (size_t i = 0; i < entries.size(); ++i) {
    absl::StrAppend(&text, lines[i + 1], "\n", AboutProgram(entries[i], remote, columns));
  }
  return text;
}

std::string CacheStatsText(const client::ServerStats& s, size_t columns) {
  Table tiers({{.heading = "tier"},
               {.heading = "hits", .is_number = true},
               {.heading = "entries", .is_number = true},
               {.heading = "size", .is_number = true}});
  tiers.Add({"memory", absl::StrCat(s.cache_hits_memory), absl::StrCat(s.cache_memory_entries),
             SizeText(s.cache_memory_bytes)});
  tiers.Add({"disk", absl::StrCat(s.cache_hits_disk), absl::StrCat(s.cache_disk_entries),
             SizeText(s.cache_disk_bytes)});
  tiers.Add({"remote", absl::StrCat(s.cache_hits_remote), "-", "-"});
  std::string text = absl::StrCat(
      tiers.Text(columns, "tiers"),
      cli::Filled(absl::StrFormat("%d joined another request's compile, %d missed, %d compiled",
                                  s.cache_hits_inflight, s.cache_misses, s.compiles),
                  0, columns),
      "\n\n");
  Table identities({{.heading = "identity", .least_columns = 12},
                    {.heading = "memory", .is_number = true},
                    {.heading = "disk", .is_number = true},
                    {.heading = "remote", .is_number = true},
                    {.heading = "joined", .is_number = true},
                    {.heading = "missed", .is_number = true}});
  for (const client::IdentityCacheStats& i : s.identities) {
    const auto count = [&i](CacheVerdict verdict) {
      return absl::StrCat(i.lookups[static_cast<size_t>(verdict)]);
    };
    identities.Add({CellText(i.identity), count(CacheVerdict::kMemory), count(CacheVerdict::kDisk),
                    count(CacheVerdict::kRemote), count(CacheVerdict::kInflight),
                    count(CacheVerdict::kMiss)});
  }
  absl::StrAppend(&text, identities.Text(columns, "identities have asked lately"), "\n");
  if (!s.remote_cache.has_value()) return text + "no remote cache (remote-cache-url)\n";
  absl::StrAppend(&text, absl::StrFormat("remote %s%s: %s; %s in, %s out\n", s.remote_cache->url,
                                         s.remote_cache->read_only ? ", read-only" : "",
                                         s.remote_cache->up ? "up" : "down, not asked for a while",
                                         SizeText(s.remote_cache->bytes_read),
                                         SizeText(s.remote_cache->bytes_written)));
  for (const auto& [name, count] : s.remote_cache->counts) {
    absl::StrAppend(&text, absl::StrFormat("  %-18s %d\n", name, count));
  }
  return text;
}

std::string ExplanationText(const client::CacheExplanation& explanation, size_t columns) {
  std::string text;
  if (!explanation.tier.empty()) {
    text = absl::StrCat("found: ", explanation.tier, "\n");
  } else if (!explanation.nearest.has_value()) {
    text = "not found, and nothing like it: no entry has its program, or its name\n";
  } else {
    const std::string& producer = explanation.nearest->producer;
    text = absl::StrCat("not found; the nearest entry, ", explanation.nearest->key,
                        producer.empty() ? "" : " of ", PrintableText(producer), ", differs in\n");
  }
  for (const client::KeyComponent& c : explanation.components) {
    const std::string name = absl::StrFormat("  %-13s ", c.name);
    const size_t indent = name.size();
    if (!explanation.nearest.has_value()) {
      absl::StrAppend(&text, name, Component(c, c.wanted, "", indent, columns), "\n");
    } else if (c.wanted != c.nearest) {
      const std::string wanted = "wanted   ", nearest = "nearest  ";
      const size_t inner = indent + wanted.size();
      absl::StrAppend(&text, name, wanted, Component(c, c.wanted, c.nearest, inner, columns), "\n",
                      std::string(indent, ' '), nearest,
                      Component(c, c.nearest, c.wanted, inner, columns), "\n");
    }
  }
  return text;
}

}  // namespace acceld::tools
