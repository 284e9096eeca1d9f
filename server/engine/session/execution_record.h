#pragma once

#include <atomic>
#include <memory>

#include "common/crypto/digest.h"
#include "server/cache/executable_cache.h"
#include "server/engine/engine.h"

namespace acceld::engine {

// The facts about one execution, filled in as it proceeds. Shared by the execution and the handles
// of its results.
struct ExecutionRecord {
  Digest fingerprint, cache_key;
  std::atomic<CacheVerdict> verdict{CacheVerdict::kUnknown};
  std::atomic<double> compile_ms{0};
  std::atomic<double> execute_us{0};
};

// Converts a record for users; empty for nullptr (an array that no execution made).
inline ExecutionInfo InfoOf(const std::shared_ptr<const ExecutionRecord>& record) {
  if (record == nullptr) return {};
  return {.fingerprint = record->fingerprint.ToHex(),
          .cache_key = record->cache_key.ToHex(),
          .verdict = record->verdict.load(std::memory_order_relaxed),
          .compile_ms = record->compile_ms.load(std::memory_order_relaxed),
          .execute_us = record->execute_us.load(std::memory_order_relaxed)};
}

inline CacheVerdict ToPublic(cache::Verdict verdict) {
  switch (verdict) {
    case cache::Verdict::kMemory:
      return CacheVerdict::kMemory;
    case cache::Verdict::kDisk:
      return CacheVerdict::kDisk;
    case cache::Verdict::kRemote:
      return CacheVerdict::kRemote;
    case cache::Verdict::kInflight:
      return CacheVerdict::kInflight;
    case cache::Verdict::kMiss:
      return CacheVerdict::kMiss;
  }
  return CacheVerdict::kUnknown;
}

}  // namespace acceld::engine
