#include "common/threads/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <vector>

#include "common/check.h"
#include "common/threads/mutex.h"
#include "common/threads/thread_stack.h"
#if defined(ACCELD_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#elif defined(ACCELD_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace acceld {
namespace {

thread_local Fiber* current = nullptr;

// The memory of one stack, as large as that of a thread, of which only the pages that were touched
// exist. Below it, towards which it grows, is a page that nobody can access.
class Stack {
 public:
  // Invalid if there is no memory.
  Stack()
      : memory_(mmap(nullptr, kGuardBytes + kThreadStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)) {
    if (is_valid() && mprotect(memory_, kGuardBytes, PROT_NONE) != 0) Unmap();
  }
  Stack(Stack&& other) noexcept : memory_(std::exchange(other.memory_, MAP_FAILED)) {}
  Stack& operator=(Stack&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~Stack() { Unmap(); }

  bool is_valid() const { return memory_ != MAP_FAILED; }
  void* begin() const { return static_cast<char*>(memory_) + kGuardBytes; }

 private:
  // A multiple of the page size of all processors.
  static constexpr size_t kGuardBytes = size_t{64} << 10;

  void Unmap() {
    if (is_valid()) munmap(std::exchange(memory_, MAP_FAILED), kGuardBytes + kThreadStackBytes);
  }

  void* memory_;
};

// Stacks of fibers that have ended. Their pages exist already.
class StackPool {
 public:
  Stack Take() {
    {
      const MutexLock lock(mutex_);
      if (!stacks_.empty()) {
        Stack stack = std::move(stacks_.back());
        stacks_.pop_back();
        return stack;
      }
    }
    return Stack();
  }
  void Put(Stack stack) {
    const MutexLock lock(mutex_);
    if (stacks_.size() < kMaxStacks) stacks_.push_back(std::move(stack));
  }

 private:
  static constexpr size_t kMaxStacks = 64;

  Mutex mutex_;
  std::vector<Stack> stacks_ ABSL_GUARDED_BY(mutex_);
};

StackPool& Stacks() {
  static auto* const pool = new StackPool;  // also used while the process ends
  return *pool;
}

}  // namespace

// The sanitizers have to be told when the stack changes, and to which one.
struct Fiber::Context {
  explicit Context(Stack memory) : stack(std::move(memory)) {}

  Stack stack;
  ucontext_t fiber, resumer;
#if defined(ACCELD_ADDRESS_SANITIZER)
  const void* resumer_stack = nullptr;
  size_t resumer_stack_bytes = 0;
  void *fake_stack = nullptr, *resumer_fake_stack = nullptr;

  void EnterFiber() {
    __sanitizer_start_switch_fiber(&resumer_fake_stack, stack.begin(), kThreadStackBytes);
    swapcontext(&resumer, &fiber);
    __sanitizer_finish_switch_fiber(resumer_fake_stack, nullptr, nullptr);
  }
  void NoteEntered() {
    __sanitizer_finish_switch_fiber(fake_stack, &resumer_stack, &resumer_stack_bytes);
  }
  void LeaveFiber(bool for_ever) {
    __sanitizer_start_switch_fiber(for_ever ? nullptr : &fake_stack, resumer_stack,
                                   resumer_stack_bytes);
    swapcontext(&fiber, &resumer);
    NoteEntered();
  }
#elif defined(ACCELD_THREAD_SANITIZER)
  void* const tsan_fiber = __tsan_create_fiber(0);
  void* tsan_resumer = nullptr;
  ~Context() { __tsan_destroy_fiber(tsan_fiber); }

  void EnterFiber() {
    tsan_resumer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_fiber, 0);
    swapcontext(&resumer, &fiber);
  }
  void NoteEntered() {}
  void LeaveFiber(bool /*for_ever*/) {
    __tsan_switch_to_fiber(tsan_resumer, 0);
    swapcontext(&fiber, &resumer);
  }
#else
  void EnterFiber() { swapcontext(&resumer, &fiber); }
  void NoteEntered() {}
  void LeaveFiber(bool /*for_ever*/) { swapcontext(&fiber, &resumer); }
#endif
};

absl::StatusOr<std::unique_ptr<Fiber>> Fiber::Create(std::function<void()> body) {
  Stack stack = Stacks().Take();
  if (!stack.is_valid()) return absl::ResourceExhaustedError("no memory for the stack of a fiber");
  auto context = std::make_unique<Context>(std::move(stack));
  getcontext(&context->fiber);
  context->fiber.uc_stack.ss_sp = context->stack.begin();
  context->fiber.uc_stack.ss_size = kThreadStackBytes;
  context->fiber.uc_link = nullptr;
  makecontext(&context->fiber, &Fiber::Enter, 0);
  return std::unique_ptr<Fiber>(new Fiber(std::move(body), std::move(context)));
}

Fiber::Fiber(std::function<void()> body, std::unique_ptr<Context> context)
    : body_(std::move(body)), context_(std::move(context)) {}

Fiber::~Fiber() {
  ACCELD_CHECK(has_ended_ || !has_begun_);
  Stacks().Put(std::move(context_->stack));
}

Fiber* Fiber::Current() { return current; }

void Fiber::Resume() {
  ACCELD_CHECK(current == nullptr && !has_ended_);
  current = this;
  has_begun_ = true;
  context_->EnterFiber();
  current = nullptr;
}

void Fiber::Suspend() {
  ACCELD_CHECK(current == this);
  context_->LeaveFiber(/*for_ever=*/false);
}

void Fiber::Enter() {
  Fiber& self = *current;
  self.context_->NoteEntered();
  self.body_();
  self.body_ = nullptr;
  self.has_ended_ = true;
  self.context_->LeaveFiber(/*for_ever=*/true);
}

}  // namespace acceld
