#include "kernels/ir/interpreter/run_kernel.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "kernels/ir/analysis/verify_kernel.h"
#include "kernels/ir/build/scalar_fold.h"
#include "kernels/ir/interpreter/run_scalar.h"

namespace acceld::kernels {
namespace {

class Runner {
 public:
  Runner(const Kernel& kernel, absl::Span<std::string* const> buffers)
      : kernel_(kernel), values_(kernel.var_types.size()) {
    for (std::string* buffer : buffers) memory_.push_back(buffer);
    scratch_.resize(kernel.scratch.size());
    for (std::string& scratch : scratch_) memory_.push_back(&scratch);
    written_.resize(kernel.scratch.size());
    ClearScratch();
  }

  absl::Status Run(const Block& block) {
    for (const Statement& statement : block) {
      ACCELD_RETURN_IF_ERROR(std::visit([this](const auto& s) { return Run(s); }, statement.value));
    }
    return absl::OkStatus();
  }

 private:
  // Makes all scratch uninitialized, as it is at the start of an iteration of an outermost parallel
  // loop.
  void ClearScratch() {
    for (size_t i = 0; i < scratch_.size(); ++i) {
      const BufferParameter& parameter = kernel_.scratch[i];
      scratch_[i].assign(parameter.num_elements * ir::StorageBytesOf(parameter.dtype), '\x5a');
      written_[i].assign(parameter.num_elements, false);
    }
  }

  absl::Status CheckIndex(uint32_t buffer, int64_t index) const {
    const BufferParameter& parameter = kernel_.Buffer(buffer);
    if (index >= 0 && index < parameter.num_elements) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("kernel ", kernel_.name, ": ", parameter.name, "[",
                                            index, "] of ", parameter.num_elements, " elements"));
  }

  absl::Status Run(const ConstantStatement& s) {
    values_[s.result] = s.bits;
    return absl::OkStatus();
  }

  absl::Status Run(const ScalarStatement& s) {
    uint64_t operands[3] = {0, 0, 0};
    for (size_t i = 0; i < s.operands.size(); ++i) operands[i] = values_[s.operands[i]];
    values_[s.result] =
        RunScalar(s.op, kernel_.TypeOf(s.operands.back()),
                  absl::MakeConstSpan(operands, s.operands.size()), kernel_.TypeOf(s.result));
    return absl::OkStatus();
  }

  absl::Status Run(const LoadStatement& s) {
    const int64_t index = static_cast<int64_t>(values_[s.index]);
    ACCELD_RETURN_IF_ERROR(CheckIndex(s.buffer, index));
    if (s.buffer >= kernel_.buffers.size() && !written_[s.buffer - kernel_.buffers.size()][index]) {
      return absl::InternalError(absl::StrCat("kernel ", kernel_.name, ": reads scratch ",
                                              kernel_.Buffer(s.buffer).name, "[", index,
                                              "] before writing it"));
    }
    const DType dtype = kernel_.Buffer(s.buffer).dtype;
    const int64_t bytes = ir::StorageBytesOf(dtype);
    uint64_t bits = 0;
    std::memcpy(&bits, memory_[s.buffer]->data() + index * bytes, bytes);
    values_[s.result] = TruncateToWidth(dtype, bits);
    return absl::OkStatus();
  }

  absl::Status Run(const StoreStatement& s) {
    const int64_t index = static_cast<int64_t>(values_[s.index]);
    ACCELD_RETURN_IF_ERROR(CheckIndex(s.buffer, index));
    if (s.buffer >= kernel_.buffers.size()) {
      written_[s.buffer - kernel_.buffers.size()][index] = true;
    }
    const DType dtype = kernel_.Buffer(s.buffer).dtype;
    const int64_t bytes = ir::StorageBytesOf(dtype);
    const int64_t extended = ExtendFromWidth(dtype, values_[s.value]);
    std::memcpy(memory_[s.buffer]->data() + index * bytes, &extended, bytes);
    return absl::OkStatus();
  }

  absl::Status Run(const ForStatement& s) {
    const bool parallel = s.kind == ForStatement::Kind::kParallel;
    std::vector<uint64_t> current;
    for (const CarriedValue& c : s.carried) current.push_back(values_[c.initial]);
    if (parallel) ++parallel_depth_;
    for (int64_t i = 0; i < s.extent; ++i) {
      if (parallel && parallel_depth_ == 1) ClearScratch();
      values_[s.induction] = static_cast<uint64_t>(parallel ? s.extent - 1 - i : i);
      for (size_t k = 0; k < current.size(); ++k) values_[s.carried[k].current] = current[k];
      ACCELD_RETURN_IF_ERROR(Run(s.body));
      for (size_t k = 0; k < current.size(); ++k) current[k] = values_[s.carried[k].next];
    }
    if (parallel) --parallel_depth_;
    for (size_t k = 0; k < current.size(); ++k) values_[s.carried[k].result] = current[k];
    return absl::OkStatus();
  }

  absl::Status Run(const WhileStatement& s) {
    std::vector<uint64_t> current;
    for (const CarriedValue& c : s.carried) current.push_back(values_[c.initial]);
    while (true) {
      for (size_t k = 0; k < current.size(); ++k) values_[s.carried[k].current] = current[k];
      ACCELD_RETURN_IF_ERROR(Run(s.condition_body));
      if (values_[s.condition] == 0) break;
      ACCELD_RETURN_IF_ERROR(Run(s.body));
      for (size_t k = 0; k < current.size(); ++k) current[k] = values_[s.carried[k].next];
    }
    for (size_t k = 0; k < current.size(); ++k) values_[s.carried[k].result] = current[k];
    return absl::OkStatus();
  }

  absl::Status Run(const IfStatement& s) {
    const bool taken = values_[s.condition] != 0;
    ACCELD_RETURN_IF_ERROR(Run(taken ? s.then_body : s.else_body));
    std::vector<uint64_t> results;
    for (Var value : taken ? s.then_values : s.else_values) results.push_back(values_[value]);
    for (size_t i = 0; i < results.size(); ++i) values_[s.results[i]] = results[i];
    return absl::OkStatus();
  }

  const Kernel& kernel_;
  std::vector<uint64_t> values_;      // the bits of each value, indexed by Var
  std::vector<std::string*> memory_;  // buffers, then scratch
  std::vector<std::string> scratch_;
  std::vector<std::vector<bool>> written_;  // whether each element of each scratch array is written
  int parallel_depth_ = 0;
};

}  // namespace

absl::Status RunKernel(const Kernel& kernel, absl::Span<std::string* const> buffers) {
  ACCELD_RETURN_IF_ERROR(VerifyKernel(kernel));
  if (buffers.size() != kernel.buffers.size()) {
    return absl::InternalError(absl::StrCat("kernel ", kernel.name, " takes ",
                                            kernel.buffers.size(), " buffers, not ",
                                            buffers.size()));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferParameter& parameter = kernel.buffers[i];
    const int64_t bytes = parameter.num_elements * ir::StorageBytesOf(parameter.dtype);
    if (static_cast<int64_t>(buffers[i]->size()) != bytes) {
      return absl::InternalError(absl::StrCat("kernel ", kernel.name, ": ", parameter.name,
                                              " takes ", bytes, " bytes, not ",
                                              buffers[i]->size()));
    }
  }
  return Runner(kernel, buffers).Run(kernel.body);
}

}  // namespace acceld::kernels
