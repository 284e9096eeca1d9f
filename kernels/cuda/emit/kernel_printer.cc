#include "kernels/cuda/emit/kernel_printer.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/emit/analysis/columns.h"
#include "kernels/cuda/emit/analysis/disjoint_stores.h"
#include "kernels/cuda/emit/analysis/separate_columns.h"
#include "kernels/cuda/emit/print_digit_sort.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 256;  // of a block if each thread computes elements by itself
constexpr int kMaxThreads = 1024;
// The most buffers for which a kernel keeps all addresses in registers, two for each.
constexpr size_t kMaxBuffersInRegisters = 8;
// From kManyScans scans on, each is shared only as if it had at most kWorkOfManyScans iterations,
// which gives blocks of 256 threads.
constexpr int64_t kManyScans = 128, kWorkOfManyScans = 1024;
constexpr int64_t kMaxBlocks = 4096;  // Enough for any device; then each takes several turns.
int64_t BytesOf(const std::vector<BufferParameter>& buffers) {
  int64_t bytes = 0;
  for (const BufferParameter& buffer : buffers) {
    bytes += buffer.num_elements * ir::StorageBytesOf(buffer.dtype);
  }
  return bytes;
}

bool HasParallel(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      return loop->kind == ForStatement::Kind::kParallel;
    }
    if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      return HasParallel(branch->then_body) || HasParallel(branch->else_body);
    }
    return false;
  });
}

// Whether thread blocks cannot execute the kernel's body independently: a statement depends on the
// effects of an earlier one, for which other blocks cannot wait, or uses scratch outside of
// parallel loops, which blocks do not share.
bool HasOrder(const Kernel& kernel, const Constants& constants) {
  const absl::flat_hash_set<uint32_t> apart = BuffersWithDisjointStores(kernel, constants);
  Effects before;
  for (const Statement& statement : kernel.body) {
    Effects now;
    now.Add(statement);
    now.Remove(apart);
    if (Effects::Conflict(before, now)) return true;
    const auto* loop = std::get_if<ForStatement>(&statement.value);
    const bool is_shared_out = loop != nullptr && loop->kind == ForStatement::Kind::kParallel;
    if (!is_shared_out && now.TouchesFrom(kernel.buffers.size())) return true;
    before.Add(now);
  }
  return false;
}

}  // namespace

absl::string_view KernelPrinter::FlatType(int64_t iterations) {
  return iterations < int64_t{1} << 30 ? "u32" : "i64";
}

KernelPrinter::KernelPrinter(const Kernel& kernel, const WorkDivision& sharing)
    : kernel_(kernel),
      work_division_(sharing),
      narrow_(FindNarrowIndices(kernel)),
      cooperative_work_(kernel),
      cancellation_polls_(kernel),
      constants_(FindConstants(kernel)),
      contraction_(kernel),
      scratch_bytes_(BytesOf(kernel.scratch)),
      resolves_at_use_(kernel.buffers.size() > kMaxBuffersInRegisters) {}

CudaKernel PrintKernel(const Kernel& kernel, const WorkDivision& sharing) {
  if (kernel.digit_sort.has_value()) return PrintDigitSort(kernel);
  const Kernel separated = SeparateColumns(kernel);
  return KernelPrinter(separated, sharing).Print();
}

CudaKernel KernelPrinter::Print() {
  const ThreadGroup group = ChooseThreadGroup();
  std::vector<std::string> parameters;
  ++depth_;
  for (const BufferParameter& buffer : kernel_.buffers) {
    const bool reads = buffer.access == BufferParameter::Access::kRead;
    parameters.push_back(
        absl::StrCat(reads ? "const " : "", RegisterType(buffer.dtype), "* ", buffer.name));
    if (!resolves_at_use_) Line(absl::StrCat(buffer.name, " = ResolvePointer(", buffer.name, ");"));
  }
  if (group != ThreadGroup::kGrid) PrintScratch(kernel_.body, group);
  PrintBlock(kernel_.body, group);
  --depth_;
  std::string body;
  body.swap(out_.source);
  if (out_.polls) {
    parameters.push_back("const volatile int* cancelled");
    body.insert(0, "  cancelled = ResolvePointer(cancelled);\n");
  }
  if (shared_values_ > 0) {
    body.insert(0, absl::StrCat("  __shared__ u64 space[", shared_values_, "];\n"));
  }
  out_.source =
      absl::StrCat("extern \"C\" __global__ void __launch_bounds__(", out_.threads, ")\n",
                   kernel_.name, "(", absl::StrJoin(parameters, ", "), ") {\n", body, "}\n");
  return std::move(out_);
}

KernelPrinter::ThreadGroup KernelPrinter::ChooseThreadGroup() {
  const Block& body = kernel_.body;
  if (!cooperative_work_.CanExecuteTogether(body)) return ThreadGroup::kThread;
  if (HasParallel(body) && !HasOrder(kernel_, constants_)) return ThreadGroup::kGrid;
  const int64_t work = cooperative_work_.WorkIn(body);
  if (work < work_division_.short_row || scratch_bytes_ > shared_bytes_left_)
    return ThreadGroup::kThread;
  ChooseThreads(work);
  return ThreadGroup::kBlock;
}

void KernelPrinter::ChooseThreads(int64_t work) {
  int threads = kWarp;
  // Each thread should have several elements; more threads would mostly wait for each other.
  while (threads < kMaxThreads && threads * 4 < work) threads *= 2;
  out_.threads = std::max(out_.threads, threads);
}

void KernelPrinter::PrintBlock(const Block& block, ThreadGroup group) {
  for (const Statement& statement : block) {
    WaitBefore(statement, group);
    std::visit([this, group](const auto& one) { Print(one, group); }, statement.value);
  }
}

void KernelPrinter::Print(const ConstantStatement& constant, ThreadGroup /*team*/) {
  Line(absl::StrCat(Define(constant.result), " = ",
                    ConstantText(TypeOf(constant.result), constant.bits), ";"));
}

void KernelPrinter::Print(const ScalarStatement& scalar, ThreadGroup /*team*/) {
  Line(absl::StrCat(Define(scalar.result), " = ", Text(scalar), ";"));
}

std::string KernelPrinter::Text(const ScalarStatement& scalar) const {
  if (const Contraction::Parts parts = contraction_.PartsOf(scalar); parts.product != nullptr) {
    const DType dtype = kernel_.TypeOf(scalar.result);
    const std::vector<Var>& factors = parts.product->operands;
    return ScalarText(
        ScalarOp::kFma, dtype, dtype,
        {absl::StrCat(parts.negates_product ? "-" : "", Name(factors[0])), Name(factors[1]),
         absl::StrCat(parts.negates_addend ? "-" : "", Name(parts.addend))});
  }
  const Var typed = scalar.operands[scalar.op == ScalarOp::kSelect ? 1 : 0];
  const DType from = kernel_.TypeOf(typed), to = kernel_.TypeOf(scalar.result);
  const auto is_wide = [this](Var var) {
    return kernel_.TypeOf(var) == DType::kI64 && !narrow_[var];
  };
  std::vector<std::string> operands;
  if (IsExactIn32Bits(scalar.op) && !is_wide(scalar.result) &&
      std::none_of(scalar.operands.begin(), scalar.operands.end(), is_wide)) {
    for (const Var operand : scalar.operands) operands.push_back(Name(operand));
    return ScalarText(scalar.op, TypeOf(typed), TypeOf(scalar.result), operands);
  }
  for (const Var operand : scalar.operands) operands.push_back(Wide(operand));
  const std::string text = ScalarText(scalar.op, from, to, operands);
  return narrow_[scalar.result] ? absl::StrCat("i32(", text, ")") : text;
}

void KernelPrinter::Print(const LoadStatement& load, ThreadGroup /*team*/) {
  Line(absl::StrCat(Define(load.result), " = ", Base(load.buffer), "[", Name(load.index), "];"));
}

void KernelPrinter::Print(const StoreStatement& store, ThreadGroup group) {
  Line(absl::StrCat(IfFirst(group), Base(store.buffer), "[", Name(store.index),
                    "] = ", Name(store.value), ";"));
}

std::string KernelPrinter::Base(uint32_t buffer) const {
  const std::string& name = kernel_.Buffer(buffer).name;
  const bool is_parameter = buffer < kernel_.buffers.size();
  return resolves_at_use_ && is_parameter ? absl::StrCat("ResolvePointerVolatile(", name, ")")
                                          : name;
}

absl::string_view KernelPrinter::IfFirst(ThreadGroup group) {
  switch (group) {
    case ThreadGroup::kGrid:
      return "if (threadIdx.x + blockIdx.x == 0) ";
    case ThreadGroup::kBlock:
      return "if (threadIdx.x == 0) ";
    case ThreadGroup::kColumn:
      return "if (threadIdx.x < 32 && place == flat) ";
    case ThreadGroup::kThread:
      return "";
  }
  return "";
}

void KernelPrinter::Print(const ForStatement& loop, ThreadGroup group) {
  const SharedScan* scan = cooperative_work_.ScanOf(loop);
  if (group == ThreadGroup::kThread)
    return scan != nullptr ? PrintScan(*scan, group) : PrintLoop(loop, group);
  if (loop.kind == ForStatement::Kind::kParallel) return PrintShared(NestOf(loop), group);
  const SharedReduction* shared = cooperative_work_.ReductionOf(loop);
  if (group == ThreadGroup::kColumn && shared != nullptr) return PrintReduction(*shared, group);
  if (group == ThreadGroup::kBlock) {
    if (shared != nullptr && shared->iterations >= work_division_.short_row) {
      return PrintReduction(*shared, group);
    }
    if (scan != nullptr && loop.extent >= work_division_.short_row) return PrintScan(*scan, group);
    if (cooperative_work_.WorkIn(loop.body) > 1) return PrintLoop(loop, group);
  }
  Effects effects;
  effects.Add(loop.body);
  if (!effects.has_stores()) return PrintLoop(loop, ThreadGroup::kThread);
  Open(absl::StripTrailingAsciiWhitespace(IfFirst(group)));
  PrintLoop(loop, ThreadGroup::kThread);
  Close();
}

void KernelPrinter::PrintLoop(const ForStatement& loop, ThreadGroup group) {
  const SharedReduction* reduction =
      group == ThreadGroup::kThread ? cooperative_work_.ReductionOf(loop) : nullptr;
  if (reduction != nullptr && HasExactSums(*reduction)) return PrintReductionAlone(*reduction);
  PrintCarried(loop.carried);
  const std::string i = Name(loop.induction);
  Open(absl::StrCat("for (", RegisterType(TypeOf(loop.induction)), " ", i, " = 0; ", i, " < ",
                    loop.extent, "; ++", i, ")"));
  LeaveIfCancelled(i, static_cast<double>(loop.extent), loop.body, group);
  for (const CarriedValue& value : loop.carried) {
    Line(absl::StrCat(Define(value.current), " = ", Name(value.result), ";"));
  }
  PrintBlock(loop.body, group);
  // Accesses of the next iteration may conflict with those of this one.
  if (group == ThreadGroup::kBlock) Barrier();
  PrintNext(loop.carried);
  Close();
}

void KernelPrinter::PrintCarried(const std::vector<CarriedValue>& carried) {
  for (const CarriedValue& value : carried) {
    Line(absl::StrCat(RegisterType(kernel_.TypeOf(value.result)), " ", Name(value.result), " = ",
                      Name(value.initial), ";"));
  }
}

void KernelPrinter::PrintNext(const std::vector<CarriedValue>& carried) {
  for (const CarriedValue& value : carried) {
    Line(absl::StrCat(Name(value.result), " = ", Name(value.next), ";"));
  }
}

void KernelPrinter::Print(const WhileStatement& loop, ThreadGroup /*team*/) {
  // If several threads execute it, it stores nothing (CooperativeWork::Suits), so each thread
  // executes all of it.
  out_.polls = true;
  PrintCarried(loop.carried);
  Open("while (*cancelled == 0)");
  for (const CarriedValue& value : loop.carried) {
    Line(absl::StrCat(Define(value.current), " = ", Name(value.result), ";"));
  }
  PrintBlock(loop.condition_body, ThreadGroup::kThread);
  Line(absl::StrCat("if (!", Name(loop.condition), ") break;"));
  PrintBlock(loop.body, ThreadGroup::kThread);
  PrintNext(loop.carried);
  Close();
}

void KernelPrinter::Print(const IfStatement& branch, ThreadGroup group) {
  for (const Var result : branch.results) {
    Line(absl::StrCat(RegisterType(kernel_.TypeOf(result)), " ", Name(result), ";"));
  }
  const auto part = [&](const Block& body, const std::vector<Var>& values) {
    PrintBlock(body, group);
    for (size_t i = 0; i < values.size(); ++i) {
      Line(absl::StrCat(Name(branch.results[i]), " = ", Name(values[i]), ";"));
    }
  };
  // Threads that take the other branch do not execute the barriers of this one.
  const Effects before = since_barrier_;
  Open(absl::StrCat("if (", Name(branch.condition), ")"));
  part(branch.then_body, branch.then_values);
  Close();
  const Effects after_then = std::exchange(since_barrier_, before);
  if (!branch.else_body.empty() || !branch.else_values.empty()) {
    Open("else");
    part(branch.else_body, branch.else_values);
    Close();
  }
  since_barrier_.Add(after_then);
}

void KernelPrinter::PrintShared(const ParallelNest& nest, ThreadGroup group) {
  if (nest.iterations == 0) return;
  if (group != ThreadGroup::kGrid) return PrintElements(nest, group);
  if (ReducesColumns(kernel_, constants_, cooperative_work_, nest)) {
    const int threads = ThreadsForColumn(kernel_, cooperative_work_, nest, work_division_);
    if (threads == 1) return PrintElements(nest, group);
    if (threads > 1) return PrintColumns(nest, threads);
  }
  const bool scans = cooperative_work_.HasScan(nest.body());
  if (scans && ScansColumns(kernel_, constants_, cooperative_work_, nest)) {
    return PrintElements(nest, group);
  }
  int64_t work = cooperative_work_.WorkIn(nest.body());
  // If each row of a scan had one thread, adjacent threads would not read adjacent memory.
  const bool is_long =
      work >= work_division_.long_row ||
      (work >= work_division_.short_row && (scans || nest.iterations < work_division_.few_rows));
  // Threads of small blocks wait less for each other, and there are enough blocks to fill a device.
  if (scans && nest.iterations >= kManyScans) work = std::min(work, kWorkOfManyScans);
  if (is_long && cooperative_work_.CanExecuteTogether(nest.body()) &&
      scratch_bytes_ <= shared_bytes_left_) {
    ChooseThreads(work);
    return PrintRows(nest);
  }
  PrintElements(nest, group);
}

void KernelPrinter::PrintRows(const ParallelNest& nest) {
  OpenBlockLoop(nest.iterations, nest.body());
  PrintScratch(nest.body(), ThreadGroup::kBlock);
  PrintInductions(nest.loops, nest.iterations);
  PrintBlock(nest.body(), ThreadGroup::kBlock);
  // Rows have nothing in common but the scratch.
  if (!kernel_.scratch.empty()) Barrier();
  Close();
}

void KernelPrinter::PrintElements(const ParallelNest& nest, ThreadGroup group) {
  if (group == ThreadGroup::kGrid) {
    const Tiles tiles =
        FindTiles(kernel_, constants_, nest, work_division_.tile_extent, shared_bytes_left_);
    if (tiles.across != nullptr) return PrintTiles(nest, tiles);
    const Lanes lanes = FindLanes(kernel_, constants_, nest, work_division_.busy_threads);
    if (lanes.width > 1) return PrintLanes(nest, lanes);
    OpenGridLoop(nest.iterations, nest.body());
    PrintScratch(nest.body(), ThreadGroup::kThread);
  } else {
    Open(absl::StrCat("for (", FlatType(nest.iterations), " flat = threadIdx.x; flat < ",
                      nest.iterations, "; flat += blockDim.x)"));
    LeaveIfCancelled("(flat / blockDim.x)", static_cast<double>(nest.iterations), nest.body(),
                     ThreadGroup::kThread);
  }
  PrintInductions(nest.loops, nest.iterations);
  PrintBlock(nest.body(), ThreadGroup::kThread);
  Close();
}

void KernelPrinter::OpenBlockLoop(int64_t iterations, const Block& body, absl::string_view name) {
  out_.blocks = std::max(out_.blocks, std::min(iterations, kMaxBlocks));
  Open(absl::StrCat("for (", FlatType(iterations), " ", name, " = blockIdx.x; ", name, " < ",
                    iterations, "; ", name, " += gridDim.x)"));
  LeaveIfCancelled(absl::StrCat("(", name, " / gridDim.x)"), static_cast<double>(iterations), body,
                   ThreadGroup::kBlock);
}

void KernelPrinter::OpenGridLoop(int64_t iterations, const Block& body) {
  const absl::string_view type = FlatType(iterations);
  out_.threads = std::max(out_.threads, kThreads);
  out_.blocks = std::max(out_.blocks, std::min(CeilDivide(iterations, out_.threads), kMaxBlocks));
  Open(absl::StrCat("for (", type, " flat = blockIdx.x * ", type, "(blockDim.x) + threadIdx.x; ",
                    "flat < ", iterations, "; flat += gridDim.x * blockDim.x)"));
  LeaveIfCancelled("(flat / (gridDim.x * blockDim.x))", static_cast<double>(iterations), body,
                   ThreadGroup::kThread);
}

void KernelPrinter::LeaveIfCancelled(absl::string_view iteration, double num_iterations,
                                     const Block& body, ThreadGroup group) {
  const std::string poll_condition =
      cancellation_polls_.PollCondition(iteration, num_iterations, body);
  if (poll_condition.empty()) return;
  out_.polls = true;
  // Threads that synchronize inside the loop must leave it together.
  const bool together = group == ThreadGroup::kBlock;
  if (together) out_.has_barriers = true;
  Line(absl::StrCat("if (", poll_condition == "true" ? "" : absl::StrCat(poll_condition, " && "),
                    together ? "__syncthreads_or(*cancelled != 0)" : "*cancelled != 0",
                    ") break;"));
}

void KernelPrinter::PrintInductions(const std::vector<const ForStatement*>& loops,
                                    int64_t iterations, int64_t width) {
  // The last induction variable varies fastest, so that adjacent threads access adjacent memory.
  int64_t inner = iterations / width;
  for (const ForStatement* loop : loops) {
    const bool is_last = loop == loops.back();
    const int64_t extent = is_last ? loop->extent / width : loop->extent;
    inner /= extent;
    std::string value = inner == 1 ? "flat" : absl::StrCat("flat / ", inner);
    if (loop != loops.front()) value = absl::StrCat(value, " % ", extent);
    if (is_last && width > 1) value = absl::StrCat(value, " * ", width);
    Line(absl::StrCat(Define(loop->induction), " = ", value, ";"));
  }
}

void KernelPrinter::PrintScratch(const Block& block, ThreadGroup group) {
  if (kernel_.scratch.empty()) return;
  Effects effects;
  effects.Add(block);
  for (const uint32_t number : effects.BuffersFrom(kernel_.buffers.size())) {
    const BufferParameter& scratch = kernel_.Buffer(number);
    if (group == ThreadGroup::kBlock) shared_bytes_left_ -= BytesOf({scratch});
    Line(absl::StrCat(group == ThreadGroup::kBlock ? "__shared__ " : "",
                      RegisterType(scratch.dtype), " ", scratch.name, "[",
                      std::max<int64_t>(scratch.num_elements, 1), "];"));
  }
}

void KernelPrinter::WaitBefore(const Statement& next, ThreadGroup group) {
  if (group != ThreadGroup::kBlock) return;
  Effects effects;
  effects.Add(next);
  if (Effects::Conflict(since_barrier_, effects)) Barrier();
  since_barrier_.Add(effects);
}

void KernelPrinter::Barrier() {
  since_barrier_.Clear();
  out_.has_barriers = true;
  Line("__syncthreads();");
}

void KernelPrinter::Line(absl::string_view text) {
  absl::StrAppend(&out_.source, std::string(2 * depth_, ' '), text, "\n");
}

void KernelPrinter::Open(absl::string_view text) {
  Line(absl::StrCat(text, " {"));
  ++depth_;
}

void KernelPrinter::Close() {
  --depth_;
  Line("}");
}

std::string KernelPrinter::Define(Var var) const {
  return absl::StrCat("const ", RegisterType(TypeOf(var)), " ", Name(var));
}

std::string KernelPrinter::Wide(Var var) const {
  return narrow_[var] ? absl::StrCat("i64(", Name(var), ")") : Name(var);
}

std::string KernelPrinter::Name(Var var) { return absl::StrCat("v", var); }

}  // namespace acceld::kernels::cuda
