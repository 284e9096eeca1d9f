#pragma once

#include <cstddef>
#include <string>

#include "absl/types/span.h"
#include "client/server_info.h"

// What the commands of `accelctl cache` show. Lines have at most `columns` characters where their
// parts can be shortened.
namespace acceld::tools {

// Two lines for each entry: its key and numbers, and its program with the types of its arguments.
// An entry of the remote cache has a third one with its architecture. Where no width limits the
// lines (cli::kUnlimitedColumns) an entry has one line, and all types.
std::string CacheEntriesText(absl::Span<const client::CacheEntryInfo> entries, bool remote,
                             size_t columns);

// Hits and sizes by tier, hits by identity, and the use of the remote cache.
std::string CacheStatsText(const client::ServerStats& stats, size_t columns);

// Where an executable is found, or in what the nearest entry differs.
std::string ExplanationText(const client::CacheExplanation& explanation, size_t columns);

}  // namespace acceld::tools
