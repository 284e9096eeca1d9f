#include "server/engine/sharing/held_programs.h"

#include <utility>

namespace acceld::engine {

// A held program with its charge. Its destructor removes the program from the table.
struct HeldPrograms::Holding {
  Holding(std::shared_ptr<HeldPrograms> its_table, std::shared_ptr<const Program> its_program,
          Taken its_memory)
      : table(std::move(its_table)),
        program(std::move(its_program)),
        memory(std::move(its_memory)) {}
  ~Holding() { table->Forget(program->fingerprint()); }

  const std::shared_ptr<HeldPrograms> table;  // shared by all its holdings
  const std::shared_ptr<const Program> program;
  Taken memory;
};

absl::StatusOr<std::shared_ptr<const Program>> HeldPrograms::Hold(
    std::shared_ptr<const Program> program, std::shared_ptr<Allowance> memory) {
  const MutexLock lock(mutex_);
  std::weak_ptr<const Program>& known = held_[program->fingerprint()];
  if (std::shared_ptr<const Program> held = known.lock(); held != nullptr) return held;
  Taken taken(std::move(memory));
  if (absl::Status status = taken.Add(program->memory_bytes()); !status.ok()) {
    held_.erase(program->fingerprint());
    return status;
  }
  const Program* const itself = program.get();
  const auto holding =
      std::make_shared<Holding>(shared_from_this(), std::move(program), std::move(taken));
  const std::shared_ptr<const Program> held(holding, itself);
  known = held;
  return held;
}

void HeldPrograms::Forget(const Digest& fingerprint) {
  const MutexLock lock(mutex_);
  const auto held = held_.find(fingerprint);
  // The program may have been registered again meanwhile.
  if (held != held_.end() && held->second.expired()) held_.erase(held);
}

}  // namespace acceld::engine
