#include "server/engine/sharing/content_table.h"

#include <algorithm>
#include <utility>

namespace acceld::engine {

std::shared_ptr<hal::Buffer> ContentTable::MemoryOf(const Entry& entry) {
  const std::shared_ptr<runtime::Array> array = entry.array.lock();
  if (array == nullptr) return nullptr;
  const runtime::Array::View view = array->view();
  return view.state == runtime::Array::State::kDefined && !view.arrival.valid() ? view.buffer
                                                                                : nullptr;
}

void ContentTable::Add(const Key& key, const std::string& identity,
                       const std::shared_ptr<runtime::Array>& array) {
  MutexLock lock(mutex_);
  std::vector<Entry>& entries = entries_[key];
  std::erase_if(entries, [](const Entry& entry) { return entry.array.expired(); });
  // One array of an identity suffices as long as it is on the device.
  std::erase_if(entries, [&](const Entry& entry) {
    return entry.identity == identity && MemoryOf(entry) == nullptr;
  });
  const bool known = std::any_of(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return entry.identity == identity; });
  if (!known) entries.push_back({identity, array});
  if (entries_.size() >= sweep_at_) Sweep();
}

void ContentTable::Sweep() {
  absl::erase_if(entries_, [](auto& item) {
    std::erase_if(item.second, [](const Entry& entry) { return entry.array.expired(); });
    return item.second.empty();
  });
  sweep_at_ = std::max<size_t>(64, 2 * entries_.size());
}

std::shared_ptr<hal::Buffer> ContentTable::Find(const Key& key) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  for (const Entry& entry : found->second) {
    if (std::shared_ptr<hal::Buffer> memory = MemoryOf(entry); memory != nullptr) return memory;
  }
  return nullptr;
}

std::shared_ptr<hal::Buffer> ContentTable::FindOwn(const Key& key,
                                                   const std::string& identity) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  for (const Entry& entry : found->second) {
    if (entry.identity == identity) return MemoryOf(entry);
  }
  return nullptr;
}

}  // namespace acceld::engine
