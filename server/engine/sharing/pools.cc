#include "server/engine/sharing/pools.h"

#include <algorithm>

#include "common/percent.h"

namespace acceld::engine {
namespace {

struct PoolInfo {
  QuotaId id;
  absl::string_view setting;
};
constexpr PoolInfo kPools[] = {
#define ACCELD_POOL(Id, setting) {QuotaId::k##Id, setting},
#include "server/engine/sharing/pools.def"
#undef ACCELD_POOL
};

// Enough for a few programs with large constants.
constexpr int64_t kLeastProgramBytes = int64_t{256} << 20;

// Returns the size of a pool of memory for programs: `size_bytes`, or a default if it is 0.
int64_t ProgramBytes(int64_t size_bytes, const EngineOptions& options) {
  return size_bytes > 0 ? size_bytes : std::max(options.host_memory_bytes, kLeastProgramBytes);
}

}  // namespace

Pools::Pools(const EngineOptions& options) : share_percent_(options.identity_share_percent) {
  const auto set = [this](QuotaId id, int64_t size) { sizes_[static_cast<size_t>(id)] = size; };
  set(QuotaId::kSessions, options.max_sessions);
  set(QuotaId::kNamedArrays, options.max_named_arrays);
  set(QuotaId::kReceiveMemory, ProgramBytes(options.max_receive_bytes, options));
  set(QuotaId::kProgramMemory, ProgramBytes(options.max_program_memory_bytes, options));
  set(QuotaId::kHandles, options.max_handles);
  set(QuotaId::kQueued, options.max_queued);
  set(QuotaId::kDescriptors, options.max_descriptors);
  for (const PoolInfo& pool : kPools) {
    const int64_t size = this->size(pool.id);
    const int64_t share = PercentOf(size, share_percent_);
    if (size > 0) shares_[static_cast<size_t>(pool.id)] = std::max<int64_t>(1, share);
  }
}

absl::string_view Pools::SettingOf(QuotaId id) {
  for (const PoolInfo& pool : kPools) {
    if (pool.id == id) return pool.setting;
  }
  return "";
}

}  // namespace acceld::engine
