#include "server/engine/program.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/op_numbers.h"
#include "common/ir/verify/memory_size.h"
#include "common/memory/allocation.h"
#include "common/op_origin.h"

namespace acceld::engine {
namespace {

// The least size of the table of inferred types, even of a small program.
constexpr int64_t kLeastTypesBytes = int64_t{16} << 10;

// The memory of the largest program that is sent to a client.
constexpr int64_t kMaxSentBytes = int64_t{64} << 20;

// The memory of an entry in the table, without its types.
constexpr int64_t kEntryBytes = 128;

std::vector<ir::Donation> DonationsOf(const ir::Module& module, const std::string& entry) {
  const absl::StatusOr<const ir::Function*> function = module.Entry(entry);
  return function.ok() ? (*function)->donations : std::vector<ir::Donation>();
}

// Numbers the ops of the module, so that errors can say which op they are about. Source locations
// are not used for that: the program is shared by all clients that have made an equal one, each at
// source locations of its own.
ir::Module Numbered(ir::Module module, const std::string& entry) {
  ir::NumberOps(module, entry);
  return module;
}

}  // namespace

int64_t MemoryBytesOf(const TypeList& types) {
  int64_t bytes = 0;
  for (const ir::TensorType& type : types) {
    bytes += static_cast<int64_t>(sizeof(type) + type.dims.capacity() * sizeof(int64_t));
  }
  return bytes;
}

Program::Program(ir::Module module, std::string entry, const Digest& fingerprint,
                 const EngineParts& parts)
    : module_(Numbered(std::move(module), entry)),
      entry_(std::move(entry)),
      donations_(DonationsOf(module_, entry_)),
      fingerprint_(fingerprint),
      parts_(parts),
      max_types_bytes_(kLeastTypesBytes + ir::MemoryBytesOf(module_)),
      memory_bytes_(ir::MemoryBytesWithConstants(module_) + max_types_bytes_),
      host_callbacks_(ir::HostCallbacksOf(module_, entry_)) {}

Program::Signature Program::ProcessSignature() const {
  const MutexLock lock(signature_mutex_);
  if (signature_.has_value()) return *signature_;
  absl::StatusOr<ir::ProcessSignature> found = parts_.process_signature(module_, entry_);
  Signature signature = nullptr;
  if (found.ok()) {
    signature = std::make_shared<const ir::ProcessSignature>(*std::move(found));
  } else {
    signature = InProgram(found.status(), fingerprint_);
  }
  // Not remembered, as there may be more memory the next time.
  if (!absl::IsResourceExhausted(signature.status())) signature_ = signature;
  return signature;
}

absl::StatusOr<ir::Module> Program::ProcessProgram() const {
  if (num_processes() == 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", name(), " is for one process, so nothing is partitioned"));
  }
  absl::StatusOr<ir::Module> program = parts_.process_program(module_, entry_);
  if (!program.ok()) return InProgram(program.status(), fingerprint_);
  const int64_t bytes = ir::MemoryBytesWithConstants(*program);
  if (bytes <= kMaxSentBytes) return program;
  return absl::ResourceExhaustedError(absl::StrCat(
      "program ", name(), ": what one process runs takes ", bytes >> 20,
      " MiB, more than the limit of ", kMaxSentBytes >> 20, " MiB for programs that are sent"));
}

Program::InferredTypes Program::Infer(const TypeList& arguments) const {
  absl::StatusOr<TypeList> types = parts_.result_types(module_, entry_, arguments);
  if (!types.ok()) return InProgram(types.status(), fingerprint_);
  return std::make_shared<const TypeList>(*std::move(types));
}

Program::InferredTypes Program::ResultTypes(const TypeList& arguments) const {
  {
    MutexLock lock(mutex_);
    if (const auto it = result_types_.find(arguments); it != result_types_.end()) return it->second;
  }
  InferredTypes results = Infer(arguments);
  // Not remembered, as there may be more memory the next time.
  if (absl::IsResourceExhausted(results.status())) return results;
  int64_t bytes = kEntryBytes + MemoryBytesOf(arguments);
  bytes += results.ok() ? MemoryBytesOf(**results)
                        : static_cast<int64_t>(results.status().message().size());
  MutexLock lock(mutex_);
  if (types_bytes_ + bytes > max_types_bytes_) {
    result_types_.clear();
    types_bytes_ = 0;
  }
  if (bytes <= max_types_bytes_ && result_types_.emplace(arguments, results).second) {
    types_bytes_ += bytes;
  }
  return results;
}

absl::StatusOr<std::shared_ptr<const Program>> ProgramRegistry::Intern(ir::Module module,
                                                                       std::string entry) {
  ACCELD_ASSIGN_OR_RETURN(
      const Digest fingerprint,
      ContainAllocationFailure("verifying a program", [&]() -> absl::StatusOr<Digest> {
        ACCELD_RETURN_IF_ERROR(parts_.verify(module));
        ACCELD_RETURN_IF_ERROR(module.Entry(entry).status());
        return parts_.fingerprint(module, entry);
      }));
  std::shared_ptr<const Program> program;
  {
    MutexLock lock(mutex_);
    std::weak_ptr<const Program>& known = programs_[fingerprint];
    program = known.lock();
    if (program != nullptr) return program;
    program =
        std::make_shared<const Program>(std::move(module), std::move(entry), fingerprint, parts_);
    known = program;
  }
  return program;
}

std::shared_ptr<const Program> ProgramRegistry::Find(const Digest& fingerprint) {
  MutexLock lock(mutex_);
  const auto kept = kept_by_fingerprint_.find(fingerprint);
  if (kept != kept_by_fingerprint_.end()) {
    kept_.splice(kept_.begin(), kept_, kept->second);
    return kept_.front().program;
  }
  const auto known = programs_.find(fingerprint);
  return known == programs_.end() ? nullptr : known->second.lock();
}

void ProgramRegistry::Keep(std::shared_ptr<const Program> program, int64_t size_bytes) {
  // A short message may have been decoded to a large module.
  size_bytes += ir::MemoryBytesOf(program->module());
  KeptList dropped;  // declared before the lock, to be destroyed after the unlock
  MutexLock lock(mutex_);
  const Digest fingerprint = program->fingerprint();
  const auto kept = kept_by_fingerprint_.find(fingerprint);
  if (kept != kept_by_fingerprint_.end()) {
    kept_.splice(kept_.begin(), kept_, kept->second);
    return;
  }
  kept_.push_front({std::move(program), size_bytes});
  kept_by_fingerprint_.emplace(fingerprint, kept_.begin());
  kept_bytes_ += size_bytes;
  while (kept_bytes_ > limit_bytes_ && kept_.size() > 1) {
    kept_bytes_ -= kept_.back().size_bytes;
    kept_by_fingerprint_.erase(kept_.back().program->fingerprint());
    dropped.splice(dropped.begin(), kept_, std::prev(kept_.end()));
  }
}

uint64_t ProgramRegistry::size() const {
  MutexLock lock(mutex_);
  absl::erase_if(programs_, [](const auto& entry) { return entry.second.expired(); });
  return programs_.size();
}

}  // namespace acceld::engine
