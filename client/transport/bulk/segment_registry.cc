#include "client/transport/bulk/segment_registry.h"

#include <functional>
#include <map>

#include "common/threads/mutex.h"

namespace acceld::client {
namespace {

struct Table {
  Mutex mutex;
  // By start address.
  std::map<const char*, const MemorySegment*, std::less<>> segments ABSL_GUARDED_BY(mutex);
};

Table& TheTable() {
  static auto* const table = new Table;  // Never destroyed: buffers may be static.
  return *table;
}

}  // namespace

void SegmentRegistry::Add(const MemorySegment& segment) {
  Table& table = TheTable();
  MutexLock lock(table.mutex);
  table.segments.emplace(segment.data(), &segment);
}

void SegmentRegistry::Remove(const MemorySegment& segment) {
  Table& table = TheTable();
  MutexLock lock(table.mutex);
  table.segments.erase(segment.data());
}

absl::optional<SegmentRegistry::Place> SegmentRegistry::Find(absl::string_view bytes) {
  Table& table = TheTable();
  MutexLock lock(table.mutex);
  auto found = table.segments.upper_bound(bytes.data());
  if (found == table.segments.begin()) return absl::nullopt;
  const MemorySegment& segment = *(--found)->second;
  const auto offset = static_cast<uint64_t>(bytes.data() - segment.data());
  if (offset > segment.size_bytes() || bytes.size() > segment.size_bytes() - offset) {
    return absl::nullopt;
  }
  return Place{segment.fd(), offset};
}

}  // namespace acceld::client
