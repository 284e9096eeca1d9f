#include "common/log/log_history.h"

#include "absl/strings/str_cat.h"

namespace acceld {
namespace {

// Cuts the text, and UTF-8 between two characters.
std::string Shorten(absl::string_view text) {
  if (text.size() <= LogHistory::kMaxTextBytes) return std::string(text);
  size_t size = LogHistory::kMaxTextBytes;
  while (size > LogHistory::kMaxTextBytes - 4 && (text[size] & 0xC0) == 0x80) --size;
  return absl::StrCat(text.substr(0, size), "...");
}

}  // namespace

void LogHistory::Add(std::chrono::system_clock::time_point time, LogLevel level,
                     absl::string_view text) {
  std::string shortened = Shorten(text);
  MutexLock lock(mutex_);
  if (!entries_.empty() && entries_.front().level == level && entries_.front().text == shortened) {
    entries_.front().time = time;
    ++entries_.front().count;
    return;
  }
  if (entries_.size() == kMaxEntries) entries_.pop_back();
  entries_.push_front({time, level, std::move(shortened)});
}

std::vector<LogEntry> LogHistory::Read() const {
  MutexLock lock(mutex_);
  return {entries_.begin(), entries_.end()};
}

}  // namespace acceld
