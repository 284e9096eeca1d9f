#include "client/tools/accelctl/views/top_frame.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/tools/accelctl/views/format.h"
#include "client/tools/accelctl/views/session_tables.h"
#include "client/tools/accelctl/views/table.h"
#include "common/cli/text.h"

namespace acceld::tools {
namespace {

// Executions per second; "-" while they are unknown.
class Rates {
 public:
  Rates(const Sample& now, const Sample* before) : before_(before) {
    if (before == nullptr) return;
    seconds_ = std::chrono::duration<double>(now.time - before->time).count();
    // The daemon was restarted, and counts from zero again.
    if (before->stats.incarnation != now.stats.incarnation || seconds_ <= 0) before_ = nullptr;
  }

  std::string Total(const client::ServerStats& now) const {
    return before_ == nullptr ? "-" : Text(now.executions, before_->stats.executions);
  }
  std::string Of(const client::DeviceInfo& now) const {
    return Text(now, before_ == nullptr ? nullptr : &before_->devices);
  }
  std::string Of(const client::SessionInfo& now) const {
    return Text(now, before_ == nullptr ? nullptr : &before_->sessions);
  }

 private:
  std::string Text(uint64_t now, uint64_t before) const {
    return absl::StrFormat("%.1f", static_cast<double>(now - std::min(now, before)) / seconds_);
  }
  template <typename Info>
  std::string Text(const Info& now, const std::vector<Info>* before) const {
    if (before == nullptr) return "-";
    for (const Info& info : *before) {
      if (info.id == now.id) return Text(now.executions, info.executions);
    }
    return "-";
  }

  const Sample* before_;
  double seconds_ = 0;
};

// The lines of a frame. Takes no more than there is room for.
class Frame {
 public:
  Frame(size_t max_lines, size_t columns)
      : room_(max_lines == 0 ? cli::kUnlimitedColumns : max_lines), columns_(columns) {}

  void AddText(absl::string_view text) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) AddLine(line);
  }

  // Adds the table below an empty line. Where rows have to be left out, the last line says how
  // many; a table of which no row fits is left out as a whole.
  void AddTable(const Table& table) {
    constexpr size_t kOverhead = 2;  // The empty line and the headings.
    if (table.empty() || room_ <= kOverhead) return;
    const std::vector<std::string> lines = table.Lines(columns_);
    const size_t rows = lines.size() - 1, room = room_ - kOverhead;
    const size_t shown = rows <= room ? rows : room - 1;
    if (shown == 0) return;
    AddLine("");
    for (size_t i = 0; i <= shown; ++i) AddLine(lines[i]);
    if (shown < rows) AddLine(absl::StrCat("and ", rows - shown, " more"));
  }

  const std::string& text() const { return text_; }

 private:
  void AddLine(absl::string_view line) {
    if (room_ == 0) return;
    absl::StrAppend(&text_, line, "\n");
    --room_;
  }

  size_t room_;
  const size_t columns_;
  std::string text_;
};

std::string Totals(const client::ServerStats& stats, const Rates& rates, size_t columns) {
  const std::vector<std::string> lines = {
      absl::StrFormat("acceld %s, up %s%s; %s, %s (%s), %s", PrintableText(stats.version),
                      TimeText(stats.uptime_s), stats.draining ? ", draining" : "",
                      CountText(stats.sessions, "session"), CountText(stats.arrays, "array"),
                      SizeText(stats.array_bytes), CountText(stats.programs, "program")),
      absl::StrFormat("executions %d (%d failed), %s/s; compiles %d (%d failed)", stats.executions,
                      stats.execution_failures, rates.Total(stats), stats.compiles,
                      stats.compile_failures),
      absl::StrFormat("cache %d in memory (%s), %d on disk (%s)", stats.cache_memory_entries,
                      SizeText(stats.cache_memory_bytes), stats.cache_disk_entries,
                      SizeText(stats.cache_disk_bytes)),
      absl::StrFormat("cache hits %d memory, %d disk, %d remote, %d in flight; %d misses",
                      stats.cache_hits_memory, stats.cache_hits_disk, stats.cache_hits_remote,
                      stats.cache_hits_inflight, stats.cache_misses)};
  std::string text;
  for (const std::string& line : lines) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", cli::Filled(line, 0, columns));
  }
  return text;
}

Table Devices(const Sample& now, const Rates& rates) {
  Table table({{.heading = "device", .is_number = true},
               {.heading = "kind"},
               {.heading = "name", .least_columns = 12},
               {.heading = "memory", .is_number = true},
               {.heading = "used", .is_number = true},
               {.heading = "peak", .is_number = true},
               {.heading = "queued", .is_number = true},
               {.heading = "exec/s", .is_number = true}});
  for (const client::DeviceInfo& d : now.devices) {
    table.Add({absl::StrCat(d.id), CellText(d.kind), CellText(d.name),
               SizeText(d.memory_limit_bytes), SizeText(d.memory_used_bytes),
               SizeText(d.memory_peak_bytes), absl::StrCat(d.queued), rates.Of(d)});
  }
  return table;
}

Table Sessions(const Sample& now, const Rates& rates) {
  std::vector<client::SessionInfo> sessions = now.sessions;
  std::sort(sessions.begin(), sessions.end(),
            [](const client::SessionInfo& a, const client::SessionInfo& b) {
              return std::tie(b.queued, b.array_bytes, a.id) <
                     std::tie(a.queued, a.array_bytes, b.id);
            });
  Table table({{.heading = "session", .is_number = true},
               {.heading = "client", .least_columns = 12},
               {.heading = "identity", .least_columns = 8},
               {.heading = "priority", .may_be_absent = true},
               {.heading = "age", .is_number = true},
               {.heading = "memory", .is_number = true},
               {.heading = "queued", .is_number = true},
               {.heading = "exec/s", .is_number = true}});
  for (const client::SessionInfo& s : sessions) {
    table.Add({absl::StrCat(s.id), CellText(s.client_name), CellText(s.identity),
               std::string(client::PriorityName(s.priority)), TimeText(s.age_s),
               SizeText(s.array_bytes), absl::StrCat(s.queued), rates.Of(s)});
  }
  return table;
}

// What a daemon without sessions waits for.
std::string Invitation(const Sample& now, size_t columns) {
  if (now.stats.draining) {
    return cli::Filled("no sessions: acceld takes none until `accelctl drain --undo`", 0, columns);
  }
  const std::string address = PrintableText(now.address);
  return absl::StrCat(
      cli::Filled(absl::StrCat("no sessions: waiting for clients at ", address), 0, columns), "\n",
      cli::Filled(absl::StrCat("to connect: accelctl --address ", address, " run FILE"), 0,
                  columns));
}

}  // namespace

std::string TopFrame(const Sample& now, const Sample* before, size_t max_lines, size_t columns) {
  const Rates rates(now, before);
  Frame frame(max_lines, columns);
  frame.AddText(Totals(now.stats, rates, columns));
  frame.AddTable(Devices(now, rates));
  if (now.sessions.empty()) frame.AddText("\n" + Invitation(now, columns));
  frame.AddTable(Sessions(now, rates));
  frame.AddTable(RunningTable(now.running));
  frame.AddTable(EndedSessionTable(now.ended));
  return frame.text();
}

}  // namespace acceld::tools
