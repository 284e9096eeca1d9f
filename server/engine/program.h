#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/engine_parts.h"

namespace acceld::engine {

using TypeList = std::vector<ir::TensorType>;
// Returns the memory that the types take.
int64_t MemoryBytesOf(const TypeList& types);

// A verified program, shared by all sessions that registered an equal one. Thread-safe.
class Program {
 public:
  Program(ir::Module module, std::string entry, const Digest& fingerprint,
          const EngineParts& parts);

  const ir::Module& module() const { return module_; }
  const std::string& entry() const { return entry_; }
  // The name for messages: that of the module, or else of the entry.
  const std::string& name() const { return module_.name.empty() ? entry_ : module_.name; }
  const Digest& fingerprint() const { return fingerprint_; }
  // The results for which the memory of donated arguments is intended. Advisory: programs that
  // differ only in this share one Program.
  const std::vector<ir::Donation>& donations() const { return donations_; }
  // The numbers of the callbacks that the program's host calls use, in ascending order.
  const std::vector<int64_t>& host_callbacks() const { return host_callbacks_; }
  // The most memory that the program may take, with constants and inferred types.
  int64_t memory_bytes() const { return memory_bytes_; }

  // Returns the result types of the entry for these argument types. They are inferred once for each
  // list of types and remembered in a bounded table. INVALID_ARGUMENT when the arguments do not
  // fit. Visits the whole program when it infers.
  using InferredTypes = absl::StatusOr<std::shared_ptr<const TypeList>>;
  InferredTypes ResultTypes(const TypeList& arguments) const;

  // How many processes run the program together.
  int64_t num_processes() const { return module_.grid.size(); }
  // Returns what one of several processes takes and gives. It is found by the first call, which
  // takes as long as partitioning the program, and remembered.
  using Signature = absl::StatusOr<std::shared_ptr<const ir::ProcessSignature>>;
  Signature ProcessSignature() const;
  // Returns what one of several processes runs. Takes as long as partitioning the program each
  // time. INVALID_ARGUMENT for a program of one process; RESOURCE_EXHAUSTED for one that is too
  // large to be sent.
  absl::StatusOr<ir::Module> ProcessProgram() const;

 private:
  InferredTypes Infer(const TypeList& arguments) const;

  const ir::Module module_;
  const std::string entry_;
  const std::vector<ir::Donation> donations_;
  const Digest fingerprint_;
  const EngineParts& parts_;  // owned by the engine
  const int64_t max_types_bytes_, memory_bytes_;
  const std::vector<int64_t> host_callbacks_;

  mutable Mutex signature_mutex_;  // held while the signature is found
  mutable absl::optional<Signature> signature_ ABSL_GUARDED_BY(signature_mutex_);
  mutable Mutex mutex_;
  mutable int64_t types_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // in result_types_
  mutable absl::flat_hash_map<TypeList, InferredTypes> result_types_ ABSL_GUARDED_BY(mutex_);
};

// The programs that sessions hold, by fingerprint. Also keeps programs for later sessions, the most
// recently used first, up to `limit_bytes` (the last one always). Thread-safe.
class ProgramRegistry {
 public:
  ProgramRegistry(const EngineParts& parts, int64_t limit_bytes)
      : parts_(parts), limit_bytes_(limit_bytes) {}

  // Verifies a program and returns it, or the equal one that a session holds already.
  // INVALID_ARGUMENT or NOT_FOUND (no such entry).
  absl::StatusOr<std::shared_ptr<const Program>> Intern(ir::Module module, std::string entry);
  // Returns the program with this fingerprint if it is held or kept; otherwise nullptr.
  std::shared_ptr<const Program> Find(const Digest& fingerprint);
  // Keeps a program. It counts with its memory plus `size_bytes`, its size in serialized form.
  void Keep(std::shared_ptr<const Program> program, int64_t size_bytes);
  uint64_t size() const;

 private:
  struct Kept {
    std::shared_ptr<const Program> program;
    int64_t size_bytes;
  };
  using KeptList = std::list<Kept>;

  const EngineParts& parts_;
  const int64_t limit_bytes_;
  mutable Mutex mutex_;
  KeptList kept_ ABSL_GUARDED_BY(mutex_);  // the most recently used first
  absl::flat_hash_map<Digest, KeptList::iterator> kept_by_fingerprint_ ABSL_GUARDED_BY(mutex_);
  int64_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  mutable absl::flat_hash_map<Digest, std::weak_ptr<const Program>> programs_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
