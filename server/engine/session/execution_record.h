#pragma once

#include <atomic>
#include <memory>

#include "common/api/executions.h"
#include "common/crypto/digest.h"

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

}  // namespace acceld::engine
