#include "kernels/cpu/support/matmul/matmul_primitives.h"

#include <cstdlib>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "kernels/cpu/cpu_runtime.h"
#include "kernels/cpu/support/matmul/odd_depth_matmul.h"
#include "kernels/cpu/support/openmp_threads.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

using dnnl::memory;
using ir::DType;

// More than the shapes of a program. A full table is emptied; primitives in use remain valid.
constexpr size_t kMaxPrimitives = 1024;

dnnl::engine& Engine() {
  static auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

// Returns whether the library computes sums of products of bytes correctly. On processors without
// instructions that add four such products at once, it adds two in 16 bits, which saturate.
bool AddsBytesExactly() {
#if defined(__x86_64__)
  constexpr int kVnni = (dnnl_cpu_isa_avx512_core_vnni & ~dnnl_cpu_isa_avx512_core) |
                        (dnnl_cpu_isa_avx2_vnni & ~dnnl_cpu_isa_avx2);
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & kVnni) != 0;
#else
  return true;
#endif
}

absl::optional<memory::data_type> TypeOf(DType dtype) {
  if (dtype == DType::kF32) return memory::data_type::f32;
  if (dtype == DType::kBF16) return memory::data_type::bf16;
  if (dtype == DType::kF16) return memory::data_type::f16;
  if (dtype == DType::kI8 && AddsBytesExactly()) return memory::data_type::s8;
  if (dtype == DType::kI32) return memory::data_type::s32;
  return absl::nullopt;
}

class DnnlMatmul : public MatmulPrimitive {
 public:
  explicit DnnlMatmul(const dnnl::matmul::primitive_desc& desc) : desc_(desc), primitive_(desc) {}

  absl::Status Run(const void* lhs, const void* rhs, void* out) const override {
    DisableOpenMpThreads();
    thread_local Scratchpad scratchpad;
    const memory::desc scratch_desc = desc_.scratchpad_desc();
    void* scratch = scratchpad.Reserve(scratch_desc.get_size());
    if (scratch == nullptr && scratch_desc.get_size() > 0) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "matmul: no memory for ", scratch_desc.get_size(), " bytes of working space"));
    }
    absl::Status status;
    try {
      dnnl::stream stream(Engine());
      primitive_.execute(
          stream,
          {{DNNL_ARG_SRC, memory(desc_.src_desc(), Engine(), const_cast<void*>(lhs))},
           {DNNL_ARG_WEIGHTS, memory(desc_.weights_desc(), Engine(), const_cast<void*>(rhs))},
           {DNNL_ARG_DST, memory(desc_.dst_desc(), Engine(), out)},
           {DNNL_ARG_SCRATCHPAD, memory(scratch_desc, Engine(), scratch)}});
      stream.wait();
    } catch (const dnnl::error& error) {
      status = absl::InternalError(absl::StrCat("matmul: oneDNN: ", error.what()));
    }
    scratchpad.Trim();
    return status;
  }

 private:
  dnnl::matmul::primitive_desc desc_;
  dnnl::matmul primitive_;
};

// Describes a batch of matrices, or one matrix without the batch dimension. The strides of
// dimensions of size 1 mean nothing, but the library inspects them, so they are set as in a dense
// layout.
memory::desc DescOf(memory::data_type type, bool has_batch, const int64_t (&dims)[3],
                    const int64_t (&strides)[3]) {
  int64_t rows = strides[1], columns = strides[2];
  if (dims[2] == 1) columns = dims[1] == 1 || rows != 1 ? 1 : dims[1];
  if (dims[1] == 1) rows = columns == 1 ? dims[2] : 1;
  if (!has_batch) return memory::desc({dims[1], dims[2]}, type, {rows, columns});
  const int64_t batch = dims[0] == 1 ? dims[1] * dims[2] : strides[0];
  return memory::desc({dims[0], dims[1], dims[2]}, type, {batch, rows, columns});
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> MakeMatmulPrimitive(
    const MatmulKey& key, const MatmulOutput& output_layout) {
  const auto input = TypeOf(key.input_dtype());
  const auto output = TypeOf(key.output_dtype());
  if (!input.has_value() || !output.has_value()) {
    return absl::UnimplementedError(absl::StrCat("matmul: oneDNN has no ",
                                                 ir::DTypeName(key.input_dtype()), " to ",
                                                 ir::DTypeName(key.output_dtype())));
  }
  if (IsOddDepthMatmul(key)) return MakeOddDepthMatmul(key, output_layout);
  const int64_t batch = key[MatmulKey::kBatch];
  const int64_t m = key[MatmulKey::kM], n = key[MatmulKey::kN], k = key[MatmulKey::kK];
  // A batch stride of 0 means one matrix for all.
  const int64_t lhs_batch = key.lhs_stride(0) == 0 ? 1 : batch;
  const int64_t rhs_batch = key.rhs_stride(0) == 0 ? 1 : batch;
  // The library decides about its threads when a primitive is made.
  DisableOpenMpThreads();
  absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> made = absl::UnknownError("");
  try {
    const bool has_batch = batch > 1;
    const memory::desc lhs = DescOf(*input, has_batch, {lhs_batch, m, k},
                                    {key.lhs_stride(0), key.lhs_stride(1), key.lhs_stride(2)});
    const memory::desc rhs = DescOf(*input, has_batch, {rhs_batch, k, n},
                                    {key.rhs_stride(0), key.rhs_stride(1), key.rhs_stride(2)});
    const memory::desc out = DescOf(*output, has_batch, {batch, m, n},
                                    {output_layout.batch_stride, output_layout.row_stride, 1});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
    if (output_layout.accumulate) {
      dnnl::post_ops sum;
      sum.append_sum();
      attributes.set_post_ops(sum);
    }
    made = std::make_shared<const DnnlMatmul>(
        dnnl::matmul::primitive_desc(dnnl::matmul::desc(lhs, rhs, out), attributes, Engine()));
  } catch (const dnnl::error& error) {
    made = absl::UnimplementedError(absl::StrCat("matmul [", batch, ", ", m, ", ", k, "] x [", k,
                                                 ", ", n, "]: oneDNN: ", error.what()));
  }
  return made;
}

bool IsWidened(DType input) {
  if (input != DType::kBF16) return false;
#if defined(__x86_64__)
  constexpr int kBf16 = dnnl_cpu_isa_avx512_core_bf16 & ~dnnl_cpu_isa_avx512_core_vnni;
  constexpr int kAmx = dnnl_cpu_isa_avx512_core_amx & ~dnnl_cpu_isa_avx512_core_bf16;
  static const bool is_widened = [] {
    const auto isa = static_cast<int>(dnnl::get_effective_cpu_isa());
    return (isa & kAmx) == 0 && ((isa & kBf16) == 0 || __builtin_cpu_is("intel") != 0);
  }();
  return is_widened;
#else
  return !LibraryMultiplies(input, input, /*accumulate=*/false);
#endif
}

bool LibraryMultiplies(DType input, DType output, bool accumulate) {
  struct Answer {
    std::once_flag is_asked;
    bool is_yes = false;
  };
  static Answer answers[ir::kNumDTypes][ir::kNumDTypes][2];
  Answer& answer =
      answers[static_cast<size_t>(input)][static_cast<size_t>(output)][accumulate ? 1 : 0];
  std::call_once(answer.is_asked, [&] {
    MatmulKey key;
    key.fields = {static_cast<int64_t>(input),
                  static_cast<int64_t>(output),
                  1,
                  1,
                  16,
                  16,
                  17,
                  272,
                  17,
                  1,
                  272,
                  16,
                  1,
                  0,
                  0};
    answer.is_yes = MakeMatmulPrimitive(key, {.row_stride = 16, .accumulate = accumulate}).ok();
  });
  return answer.is_yes;
}

absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> MatmulPrimitives::Find(
    const MatmulKey& product, const MatmulOutput& output) {
  const Key key{product, output};
  {
    const MutexLock lock(mutex_);
    const auto found = primitives_.find(key);
    if (found != primitives_.end()) return found->second;
  }
  // Made without the lock: if two threads make the same primitive, the first one is kept.
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<const MatmulPrimitive> made,
                          MakeMatmulPrimitive(product, output));
  const MutexLock lock(mutex_);
  if (primitives_.size() >= kMaxPrimitives) primitives_.clear();
  return primitives_.emplace(key, std::move(made)).first->second;
}

absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> FindMatmulPrimitive(
    const LaunchContext& launch, const MatmulKey& key, const MatmulOutput& output) {
  if (launch.runtime == nullptr) return MakeMatmulPrimitive(key, output);
  return launch.runtime->matmul_primitives().Find(key, output);
}

}  // namespace acceld::kernels::cpu
