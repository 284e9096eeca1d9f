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

// The uploaded arrays by their content, so that equal content is stored once on a device. Contains
// only content whose digest the daemon has computed itself. Does not own the arrays: an entry is
// dropped when nobody else holds its array.
//
// Knowing a digest does not prove that a client has the bytes. A client that has not sent the bytes
// must therefore be given only content that its own identity has sent (FindOwn).
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

  // Adds an array with this content, sent by `identity`.
  void Add(const Key& key, const std::string& identity,
           const std::shared_ptr<runtime::Array>& array);
  // Returns the memory of an array with this content; nullptr when none is on the device.
  std::shared_ptr<hal::Buffer> Find(const Key& key) const;
  // Like Find, for arrays that `identity` has sent.
  std::shared_ptr<hal::Buffer> FindOwn(const Key& key, const std::string& identity) const;
  // Counts bytes that were not stored, or not even sent, because the device had them already.
  void CountSaved(int64_t bytes) { saved_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  int64_t saved_bytes() const { return saved_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::string identity;
    std::weak_ptr<runtime::Array> array;  // not owned: sessions and names decide what stays
  };
  static std::shared_ptr<hal::Buffer> MemoryOf(const Entry& entry);
  // Drops the entries whose arrays are gone.
  void Sweep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<int64_t> saved_bytes_{0};
  mutable Mutex mutex_;
  absl::flat_hash_map<Key, std::vector<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  size_t sweep_at_ ABSL_GUARDED_BY(mutex_) = 64;
};

}  // namespace acceld::engine
