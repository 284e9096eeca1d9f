// Long calls of the run-time support poll whether they are interrupted, all along.

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "common/check.h"
#include "common/ir/types/element.h"
#include "kernels/cpu/convolution_descriptor.h"
#include "kernels/cpu/cpu_convolution.h"
#include "kernels/cpu/cpu_matmul.h"
#include "kernels/cpu/matmul_key.h"
#include "kernels/cpu/support/convolution/convolution.h"
#include "kernels/cpu/support/matmul/matmul.h"
#include "kernels/cpu/support/matmul/matmul_blocks.h"
#include "tests/unit/kernels/routines/routine_runner.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using ir::TensorType;
using std::chrono::nanoseconds;

// Measures how long a run works until it notices that it is interrupted, every time a millisecond
// after it noticed the last time: in time that its thread, which makes the watch, had a core.
class Watch final : public InterruptHandler {
 public:
  explicit Watch(int goes_on) : goes_on_(goes_on) {
    ACCELD_CHECK(pthread_getcpuclockid(pthread_self(), &run_clock_) == 0);
    thread_ = std::thread([this] {
      while (!ended_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (flag_) continue;
        set_at_ = RunTime();
        flag_ = true;
      }
    });
  }
  ~Watch() {
    ended_ = true;
    thread_.join();
  }

  bool WaitWhilePaused() override {
    longest_ = std::max(longest_, RunTime() - set_at_.load());
    if (++count_ > goes_on_) return false;
    flag_ = false;
    return true;
  }

  const volatile bool* flag() const { return &flag_; }
  int count() const { return count_; }
  double longest_seconds() const { return std::chrono::duration<double>(longest_).count(); }

 private:
  nanoseconds RunTime() const {
    timespec time;
    clock_gettime(run_clock_, &time);
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
  }

  const int goes_on_;
  volatile bool flag_ = false;
  clockid_t run_clock_;
  std::atomic<nanoseconds> set_at_{nanoseconds(0)};
  std::atomic<bool> ended_{false};
  std::thread thread_;
  // Of the run's one thread.
  int count_ = 0;
  nanoseconds longest_{0};
};

// A call on one thread, with whatever it works on.
using Call = std::function<int32_t(const LaunchContext*)>;

int32_t RunWith(const Call& call, Watch& watch) {
  RunState state(LaunchContext{.arguments = nullptr,
                               .results = nullptr,
                               .arena = nullptr,
                               .constants = nullptr,
                               .num_threads = 1,
                               .interrupted = watch.flag(),
                               .interrupt_handler = &watch});
  return call(&state.context);
}

// The bound is far above what a call takes between two polls, and far below what it took before it
// polled. `least` interruptions are noticed by a call that goes on to its end. A run counts as slow
// only if the next ones are slow too: the first use of memory takes a machine a while now and then,
// and that time counts as the thread's.
void ExpectPolls(const Call& call, int least) {
  constexpr int kMaxRuns = 5;
  constexpr double kLongestSeconds = 0.3;
  double longest = 0;
  for (int i = 0; i == 0 || (longest >= kLongestSeconds && i < kMaxRuns); ++i) {
    Watch watch(1 << 30);
    EXPECT_EQ(RunWith(call, watch), static_cast<int32_t>(CodeStatus::kOk));
    EXPECT_GE(watch.count(), least);
    longest = watch.longest_seconds();
  }
  EXPECT_LT(longest, kLongestSeconds);
  Watch watch(2);
  EXPECT_EQ(RunWith(call, watch), static_cast<int32_t>(CodeStatus::kCancelled));
  EXPECT_EQ(watch.count(), 3);
}

std::shared_ptr<char> Memory(int64_t size_bytes) {
  std::shared_ptr<char> memory(AllocateAligned(size_bytes).release(), std::free);
  std::memset(memory.get(), 0, static_cast<size_t>(size_bytes));
  return memory;
}

// Numbers near 0, with a diagonal of the first operand that keeps factorizations regular.
template <typename T>
std::shared_ptr<char> Numbers(const TensorType& type, bool has_diagonal) {
  std::shared_ptr<char> memory = Memory(type.size_bytes());
  T* const values = reinterpret_cast<T*>(memory.get());
  uint32_t state = 1;
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    state = state * 1664525 + 1013904223;
    values[i] = T(static_cast<float>(static_cast<int32_t>(state)) * 1e-12F);
  }
  const int64_t columns = type.dims.back();
  for (int64_t i = 0; has_diagonal && (i + 1) * columns <= type.num_elements() && i < columns;
       ++i) {
    values[i * (columns + 1)] = T(2);
  }
  return memory;
}

template <typename T>
Call RoutineOf(const RoutineCall& call) {
  EXPECT_TRUE(CheckRoutine(call).ok()) << CheckRoutine(call);
  std::vector<std::shared_ptr<char>> memory;
  for (const TensorType& type : call.operands) {
    memory.push_back(Numbers<T>(type, /*has_diagonal=*/memory.empty() && type.rank() > 1));
  }
  for (const TensorType& type : call.results) memory.push_back(Memory(type.size_bytes()));
  return [memory, key = RoutineKeyOf(call)](const LaunchContext* context) {
    std::vector<void*> addresses;
    addresses.reserve(memory.size());
    for (const auto& m : memory) addresses.push_back(m.get());
    return RunRoutine(context, key.data(), addresses.data());
  };
}

Call MatmulOf(DType input, DType output, int64_t m, int64_t n, int64_t k) {
  MatmulStep step{};
  step.input_dtype = input;
  step.output_dtype = output;
  step.batch = 1;
  step.m = m;
  step.n = n;
  step.k = k;
  const int64_t lhs_strides[3] = {m * k, k, 1}, rhs_strides[3] = {k * n, n, 1};
  std::copy_n(lhs_strides, 3, step.lhs_strides);
  std::copy_n(rhs_strides, 3, step.rhs_strides);
  const int64_t bytes = ir::StorageBytesOf(input);
  return [key = MatmulKeyOf(step), lhs = Memory(m * k * bytes), rhs = Memory(k * n * bytes),
          out = Memory(m * n * ir::StorageBytesOf(output))](const LaunchContext* context) {
    return Matmul(context, key.fields.data(), lhs.get(), rhs.get(), out.get());
  };
}

TEST(CpuLibraryPollsTest, LongSumsOfProducts) {
  ExpectPolls(MatmulOf(DType::kF32, DType::kF32, 256, 512, 1 << 17), 10);
}

TEST(CpuLibraryPollsTest, LargeProducts) {
  ExpectPolls(MatmulOf(DType::kF32, DType::kF32, 3000, 3000, 3000), 10);
}

// Steps depend on the product alone, and neither their work nor what they read is much.
TEST(CpuLibraryPollsTest, StepsOfSumsAreBounded) {
  for (const int64_t m : {1, 7, 100, 5000, 1 << 20}) {
    for (const int64_t n : {1, 16, 300, 6000}) {
      for (const int64_t k : {1, 64, 4096, 6000, 1 << 20, 1 << 28}) {
        MatmulKey key;
        key.fields = {static_cast<int64_t>(DType::kF32),
                      static_cast<int64_t>(DType::kF32),
                      1,
                      1,
                      m,
                      n,
                      k,
                      0,
                      k,
                      1,
                      0,
                      n,
                      1,
                      0,
                      0};
        const MatmulBlocks blocks(key, /*is_gram=*/false);
        const MatmulBlock block = blocks[0];
        const double step = static_cast<double>(blocks.depth_step());
        SCOPED_TRACE(testing::Message() << m << " " << n << " " << k << " step " << step);
        EXPECT_LE(static_cast<double>(block.rows * block.columns) * step, 7e8);
        EXPECT_LE(static_cast<double>(block.rows + block.columns) * step * 4, 80e6);
        // Shorter ones only where the output is small, and the library's sums are long chains.
        if (k <= 4096) {
          EXPECT_GE(blocks.depth_step(), std::min<int64_t>(k, 320));
        }
        if (k <= 4096 && block.rows * block.columns > 256 * 256) {
          EXPECT_EQ(blocks.depth_step(), k);
        }
      }
    }
  }
}

TEST(CpuLibraryPollsTest, SumsInStepsAreThoseOfAllTypes) {
  struct Types {
    DType input, output;
  };
  for (const auto& [input, output] :
       {Types{DType::kF32, DType::kF32}, Types{DType::kBF16, DType::kBF16},
        Types{DType::kBF16, DType::kF32}, Types{DType::kI8, DType::kI32}}) {
    MatmulStep step{};
    step.input_dtype = input;
    step.output_dtype = output;
    step.batch = 1;
    step.m = step.n = 128;
    step.k = 150000;
    const int64_t strides[3] = {0, 1, 128};
    std::copy_n(strides, 3, step.lhs_strides);
    const int64_t rhs_strides[3] = {0, 128, 1};
    std::copy_n(rhs_strides, 3, step.rhs_strides);
    if (!CanMatmul(step)) continue;
    EXPECT_LT(MatmulBlocks(MatmulKeyOf(step), false).depth_step(), step.k);
    // Both operands are the identity again and again, so that sums count how often.
    std::string bytes(step.k * 128 * ir::StorageBytesOf(input), '\0');
    for (int64_t row = 0; row < step.k; ++row) {
      const int64_t i = row * 128 + row % 128;
      if (input == DType::kI8) {
        ir::WriteInt(input, bytes.data(), i, 1);
      } else {
        ir::WriteFloat(input, bytes.data(), i, 1);
      }
    }
    const std::shared_ptr<char> operand = Memory(static_cast<int64_t>(bytes.size()));
    const std::shared_ptr<char> other = Memory(static_cast<int64_t>(bytes.size()));
    std::memcpy(operand.get(), bytes.data(), bytes.size());
    std::memcpy(other.get(), bytes.data(), bytes.size());
    const std::shared_ptr<char> out = Memory(128 * 128 * ir::StorageBytesOf(output));
    Watch watch(1 << 30);
    for (const char* rhs : {other.get(), operand.get()}) {  // the second is a Gram matrix
      const int32_t status = RunWith(
          [&](const LaunchContext* context) {
            return Matmul(context, MatmulKeyOf(step).fields.data(), operand.get(), rhs, out.get());
          },
          watch);
      ASSERT_EQ(status, static_cast<int32_t>(CodeStatus::kOk));
      for (int64_t row = 0; row < 128; ++row) {
        for (int64_t column = 0; column < 128; ++column) {
          const int64_t i = row * 128 + column;
          const double value = output == DType::kI32
                                   ? static_cast<double>(ir::ReadInt(output, out.get(), i))
                                   : ir::ReadFloat(output, out.get(), i);
          const double expected = row != column ? 0 : 1171 + (row < 150000 % 128 ? 1 : 0);
          const double tolerance = output == DType::kBF16 ? 4 : 0;
          ASSERT_NEAR(value, expected, tolerance) << row << " " << column;
        }
      }
    }
  }
}

// One image of size x size with `features`, `outputs` of a window x window kernel.
Call ConvolutionOf(int64_t size, int64_t window, int64_t features, int64_t outputs) {
  ConvolutionStep step{};
  step.input_dtype = step.output_dtype = DType::kF32;
  ConvolutionShape& shape = step.shape;
  const int64_t extent = size - window + 1;
  shape.first_row_dim = 0;
  shape.features = features;
  shape.outputs = outputs;
  for (int d = 2; d < ConvolutionShape::kNumDims; ++d) {
    const bool inner = d == ConvolutionShape::kNumDims - 1;
    shape.dims[d] = {.extent = extent,
                     .window = window,
                     .size = size,
                     .lhs_stride = features * (inner ? 1 : size),
                     .out_stride = outputs * (inner ? 1 : extent),
                     .rhs_stride = features * outputs * (inner ? 1 : window)};
  }
  if (window > 1) shape.first_row_dim = 3;
  shape.rhs_row_stride = shape.rhs_feature_stride = outputs;
  EXPECT_TRUE(CanConvolve(step));
  const ConvolutionDescriptor descriptor = ConvolutionDescriptor::Of(step);
  return [descriptor, lhs = Memory(size * size * features * 4),
          rhs = Memory(window * window * features * outputs * 4),
          out = Memory(extent * extent * outputs * 4)](const LaunchContext* context) {
    return Convolution(context, descriptor.fields().data(), lhs.get(), rhs.get(), out.get());
  };
}

TEST(CpuLibraryPollsTest, ConvolutionsThatAreProducts) {
  ExpectPolls(ConvolutionOf(16, 1, 1 << 16, 1024), 10);
}

TEST(CpuLibraryPollsTest, ConvolutionsOfGatheredWindows) {
  ExpectPolls(ConvolutionOf(80, 5, 256, 512), 10);
}

TEST(CpuLibraryPollsTest, ConvolutionsOfManyOutputs) {
  ExpectPolls(ConvolutionOf(64, 3, 16, 1 << 15), 10);
}

TensorType F32(ir::Dims dims) { return {DType::kF32, std::move(dims)}; }
TensorType C64(ir::Dims dims) { return {DType::kC64, std::move(dims)}; }
TensorType I32(ir::Dims dims) { return {DType::kI32, std::move(dims)}; }

TEST(CpuLibraryPollsTest, FourierTransformsOfAPrimeLength) {
  constexpr int64_t n = 1048583;
  ExpectPolls(RoutineOf<std::complex<float>>({Routine::kFft, {0, 1}, {C64({n})}, {C64({n})}}), 10);
}

TEST(CpuLibraryPollsTest, LongFourierTransforms) {
  constexpr int64_t n = 1 << 23;
  ExpectPolls(RoutineOf<std::complex<float>>({Routine::kFft, {0, 1}, {C64({n})}, {C64({n})}}), 5);
}

TEST(CpuLibraryPollsTest, CholeskyFactorizations) {
  constexpr int64_t n = 5000;
  ExpectPolls(RoutineOf<float>({Routine::kCholesky, {1}, {F32({n, n})}, {F32({n, n})}}), 10);
}

TEST(CpuLibraryPollsTest, LuFactorizationsOfTallMatrices) {
  constexpr int64_t m = 300000, n = 96;
  ExpectPolls(RoutineOf<float>({Routine::kLu, {}, {F32({m, n})}, {F32({m, n}), I32({n}), I32({})}}),
              10);
}

TEST(CpuLibraryPollsTest, QrFactorizations) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1500, 1500}, {200000, 48}}) {
    ExpectPolls(RoutineOf<float>({Routine::kQr, {}, {F32({m, n})}, {F32({m, n}), F32({n})}}), 10);
  }
}

TEST(CpuLibraryPollsTest, ProductsOfReflectors) {
  constexpr int64_t n = 1500;
  ExpectPolls(
      RoutineOf<float>({Routine::kHouseholderProduct, {}, {F32({n, n}), F32({n})}, {F32({n, n})}}),
      10);
  for (const Routine routine :
       {Routine::kHouseholderMultiplyLeft, Routine::kHouseholderMultiplyRight}) {
    ExpectPolls(
        RoutineOf<float>({routine, {1}, {F32({n, n}), F32({n}), F32({n, n})}, {F32({n, n})}}), 10);
  }
}

TEST(CpuLibraryPollsTest, TriangularSolves) {
  constexpr int64_t n = 6000;
  ExpectPolls(
      RoutineOf<float>(
          {Routine::kTriangularSolveLeft, {1, 0, 0}, {F32({n, n}), F32({n, 64})}, {F32({n, 64})}}),
      3);
  for (const Routine routine : {Routine::kTriangularSolveLeft, Routine::kTriangularSolveRight}) {
    const TensorType sides = routine == Routine::kTriangularSolveLeft ? C64({n, 40}) : C64({40, n});
    for (const int64_t transpose : {0, 2}) {
      ExpectPolls(RoutineOf<std::complex<float>>(
                      {routine, {0, 0, transpose}, {C64({n, n}), sides}, {sides}}),
                  5);
    }
  }
}

TEST(CpuLibraryPollsTest, TridiagonalSolves) {
  constexpr int64_t n = 5000000;
  const TensorType line = F32({n}), sides = F32({n, 2});
  ExpectPolls(RoutineOf<float>({Routine::kTridiagonalSolve,
                                {},
                                {line, line, line, sides},
                                {line, line, line, sides, I32({})}}),
              5);
  ExpectPolls(RoutineOf<float>(
                  {Routine::kTridiagonalSolvePerturbed, {}, {line, line, line, sides}, {sides}}),
              5);
}

}  // namespace
}  // namespace acceld::kernels::cpu
