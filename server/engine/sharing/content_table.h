#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/crypto/digest.h"
#include "common/ir/types/type.h"
#include "common/threads/mutex.h"
#include "server/runtime/array.h"

namespace acceld::engine {

// Uploaded arrays by their content, so that equal bytes are stored once. Only contents that the
// daemon has itself hashed are here, and an array is forgotten when nobody else holds it.
//
// That somebody knows a digest does not show that he has the bytes: who has not sent them may be
// given only what his own identity has sent.
//
// Thread-safe.
class ContentTable {
 public:
  struct Key {
    Digest digest;
    ir::TensorType type;
    uint32_t device = 0;

    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Key& key) {
      return H::combine(std::move(state), key.digest, key.device);
    }
  };

  // Notes an array whose bytes are as the key says, which `identity` has sent.
  void Add(const Key& key, const std::string& identity,
           const std::shared_ptr<runtime::Array>& array);
  // The memory of such an array; nullptr when there is none on the device now.
  std::shared_ptr<hal::Buffer> Find(const Key& key) const;
  // The same for arrays that `identity` has sent.
  std::shared_ptr<hal::Buffer> FindOwn(const Key& key, const std::string& identity) const;
  // Bytes that were not stored, or not even sent, because they were here.
  void CountSaved(int64_t bytes) { saved_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  int64_t saved_bytes() const { return saved_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::string identity;
    std::weak_ptr<runtime::Array> array;  // Not owned: sessions and names decide what stays.
  };
  static std::shared_ptr<hal::Buffer> MemoryOf(const Entry& entry);
  void Sweep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<int64_t> saved_bytes_{0};
  mutable Mutex mutex_;
  absl::flat_hash_map<Key, std::vector<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  size_t sweep_at_ ABSL_GUARDED_BY(mutex_) = 64;
};

}  // namespace acceld::engine
