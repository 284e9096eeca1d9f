// Every routine of the CPU with sizes of zero, one and more, empty batches, all element types and
// parameters, and values that are not finite, huge or tiny. Calls are made from the signatures of
// routines.def, so that a new routine is among them.

#include <sys/mman.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/ir/types/element.h"
#include "kernels/cpu/support/routines/workspace.h"
#include "tests/unit/kernels/routines/routine_runner.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using ir::TensorType;

struct Row {
  absl::string_view signature, parameters;
};
constexpr Row kRows[] = {
#define ACCELD_ROUTINE(Kind, name, signature, parameters) {signature, parameters},
#include "kernels/ir/routines.def"
};

// Whether a result says that an item of operands which are NaN or infinite failed; otherwise one of
// its elements is not finite. The compiler asks for a line for each routine.
bool SaysInfo(Routine routine) {
  switch (routine) {
    case Routine::kEigenReal:
    case Routine::kEigenComplex:
    case Routine::kHermitianEigen:
    case Routine::kSchurReal:
    case Routine::kSchurComplex:
    case Routine::kSvdFull:
    case Routine::kSvdThin:
      return true;
    case Routine::kCholesky:
    case Routine::kCholeskyFactor:
    case Routine::kFft:
    case Routine::kHessenberg:
    case Routine::kHouseholderMultiplyLeft:
    case Routine::kHouseholderMultiplyRight:
    case Routine::kHouseholderProduct:
    case Routine::kLu:
    case Routine::kQr:
    case Routine::kQrPivoted:
    case Routine::kTriangularSolveLeft:
    case Routine::kTriangularSolveRight:
    case Routine::kTridiagonal:
    case Routine::kTridiagonalSolve:
    case Routine::kTridiagonalSolvePerturbed:
      return false;
  }
  return false;
}

// All combinations of one value out of each list.
std::vector<std::vector<int64_t>> Combinations(const std::vector<std::vector<int64_t>>& lists) {
  std::vector<std::vector<int64_t>> out = {{}};
  for (const std::vector<int64_t>& list : lists) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& begin : out) {
      for (const int64_t value : list) {
        longer.push_back(begin);
        longer.back().push_back(value);
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::vector<std::vector<int64_t>> ParametersOf(Routine routine) {
  std::vector<std::vector<int64_t>> values;
  for (absl::string_view text :
       absl::StrSplit(kRows[static_cast<int>(routine)].parameters, ' ', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(text, ':');
    int64_t count = 0;
    EXPECT_TRUE(absl::SimpleAtoi(parts[1], &count));
    values.emplace_back();
    for (int64_t i = 0; i < count; ++i) values.back().push_back(i);
  }
  return Combinations(values);
}

// The type of one pattern of a signature, "T[m,n]".
TensorType TypeOf(absl::string_view pattern, DType dtype, const ir::Dims& batch,
                  std::map<char, int64_t>& sizes) {
  TensorType type{dtype, batch};
  if (pattern.front() == 'R') type.dtype = ir::RealPartOf(dtype);
  if (pattern.front() == 'C') type.dtype = ir::ComplexOf(dtype).value_or(dtype);
  if (pattern.front() == 'I') type.dtype = DType::kI32;
  for (const char letter : pattern.substr(1)) {
    if (letter < 'a' || letter > 'z') continue;
    if (letter == 'p') {
      type.dims.push_back(std::min(sizes['m'], sizes['n']));
    } else if (letter == 'q') {
      type.dims.push_back(std::max<int64_t>(sizes['n'] - 1, 0));
    } else {
      type.dims.push_back(sizes[letter]);
    }
  }
  return type;
}

std::set<char> LettersOf(Routine routine) {
  std::set<char> letters;
  absl::string_view text = kRows[static_cast<int>(routine)].signature;
  for (const char c : text.substr(0, text.find(';'))) {
    if (c >= 'a' && c <= 'z' && c != 'p' && c != 'q') letters.insert(c);
  }
  return letters;
}

RoutineCall CallOf(Routine routine, DType dtype, const ir::Dims& batch,
                   std::map<char, int64_t> sizes) {
  RoutineCall call{routine, {}, {}, {}};
  std::vector<TensorType>* side = &call.operands;
  for (absl::string_view word :
       absl::StrSplit(kRows[static_cast<int>(routine)].signature, ' ', absl::SkipEmpty())) {
    if (word == ";") break;
    if (word == "->") {
      side = &call.results;
    } else {
      side->push_back(TypeOf(word, dtype, batch, sizes));
    }
  }
  return call;
}

// Calls with the given sizes for every letter; those that the routine does not take are left out.
std::vector<RoutineCall> CallsOf(Routine routine, DType dtype, const ir::Dims& batch,
                                 const std::vector<int64_t>& sizes) {
  std::vector<RoutineCall> out;
  const auto add = [&](RoutineCall call) {
    for (const std::vector<int64_t>& parameters : ParametersOf(routine)) {
      call.parameters = parameters;
      if (CheckRoutine(call).ok()) out.push_back(call);
    }
  };
  if (routine != Routine::kFft) {
    const std::set<char> letters = LettersOf(routine);
    for (const std::vector<int64_t>& chosen :
         Combinations(std::vector<std::vector<int64_t>>(letters.size(), sizes))) {
      std::map<char, int64_t> by_letter;
      size_t i = 0;
      for (const char letter : letters) by_letter[letter] = chosen[i++];
      add(CallOf(routine, dtype, batch, by_letter));
    }
    return out;
  }
  for (const std::vector<int64_t>& chosen : Combinations({sizes, sizes, sizes})) {
    TensorType type{dtype, batch};
    type.dims.insert(type.dims.end(), chosen.begin(), chosen.end());
    TensorType half = type, real = type;
    half.dims.back() = chosen.back() == 0 ? 0 : chosen.back() / 2 + 1;
    if (ir::IsComplex(dtype)) {
      real.dtype = ir::RealPartOf(dtype);
      add({routine, {}, {type}, {type}});
      add({routine, {}, {half}, {real}});
    } else if (ir::ComplexOf(dtype).has_value()) {
      half.dtype = *ir::ComplexOf(dtype);
      add({routine, {}, {type}, {half}});
    }
  }
  return out;
}

enum class Values { kScattered, kZero, kNan, kOneNan, kInfinite, kHuge, kTiny };
constexpr std::array kAllValues = {Values::kScattered, Values::kZero, Values::kNan, Values::kOneNan,
                                   Values::kInfinite,  Values::kHuge, Values::kTiny};

double ValueAt(Values values, DType dtype, int64_t i, int64_t count) {
  const double scattered = std::sin(static_cast<double>(i * i + 1));
  const bool is_double = ir::RealPartOf(dtype) == DType::kF64;
  switch (values) {
    case Values::kScattered:
      return scattered;
    case Values::kZero:
      return 0;
    case Values::kNan:
      return std::numeric_limits<double>::quiet_NaN();
    case Values::kOneNan:
      return i == count / 2 ? std::numeric_limits<double>::quiet_NaN() : scattered;
    case Values::kInfinite:
      return i % 3 == 1 ? -std::numeric_limits<double>::infinity()
                        : std::numeric_limits<double>::infinity();
    case Values::kHuge:
      return (is_double ? 1e308 : 3e38) * scattered;
    case Values::kTiny:
      return (is_double ? 1e-310 : 1e-40) * scattered;
  }
  return 0;
}

std::string BytesOfType(const TensorType& type, Values values) {
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0, n = type.num_elements(); i < n; ++i) {
    if (ir::IsComplex(type.dtype)) {
      const double value = ValueAt(values, type.dtype, i, n);
      ir::WriteComplex(type.dtype, bytes.data(), i,
                       {value, ValueAt(values, type.dtype, i + 7, n + 14)});
    } else if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, ValueAt(values, type.dtype, i, n));
    } else {
      constexpr std::array kIntegers = {0, 1,  std::numeric_limits<int32_t>::min(),
                                        0, -1, std::numeric_limits<int32_t>::max()};
      ir::WriteInt(type.dtype, bytes.data(), i, kIntegers[i % kIntegers.size()]);
    }
  }
  return bytes;
}

bool IsFinite(const TensorType& type, const char* bytes, int64_t i) {
  if (ir::IsComplex(type.dtype)) {
    const std::complex<double> value = ir::ReadComplex(type.dtype, bytes, i);
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  }
  return !ir::IsFloat(type.dtype) || std::isfinite(ir::ReadFloat(type.dtype, bytes, i));
}

// Memory of a call: each operand and result with a margin on both sides that nobody may write.
class Buffers {
 public:
  Buffers(const RoutineCall& call, Values values) : call_(call) {
    for (const TensorType& type : call.operands) Place(BytesOfType(type, values));
    for (const TensorType& type : call.results) Place(std::string(type.size_bytes(), '\xAB'));
  }

  int32_t Run(int threads) {
    std::vector<void*> addresses;
    for (const AlignedBytes& memory : memory_) addresses.push_back(memory.get() + kMargin);
    static constexpr bool kNever = false;
    RunState state(LaunchContext{.arguments = nullptr,
                                 .results = nullptr,
                                 .arena = nullptr,
                                 .constants = nullptr,
                                 .num_threads = threads,
                                 .interrupted = &kNever});
    return RunRoutine(&state.context, RoutineKeyOf(call_).data(), addresses.data());
  }
  bool OperandsAndMarginsAreKept() const {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const char* const begin = memory_[i].get();
      const std::string margin(kMargin, kMarginByte);
      const size_t size = before_[i].size();
      if (margin != std::string(begin, kMargin)) return false;
      if (margin != std::string(begin + kMargin + size, kMargin)) return false;
      if (i < call_.operands.size() && before_[i] != std::string(begin + kMargin, size)) {
        return false;
      }
    }
    return true;
  }
  const char* result(size_t i) const { return memory_[call_.operands.size() + i].get() + kMargin; }
  std::string Results() const {
    std::string all;
    for (size_t i = 0; i < call_.results.size(); ++i) {
      all.append(result(i), call_.results[i].size_bytes());
    }
    return all;
  }

 private:
  static constexpr int64_t kMargin = kBufferAlignment;
  static constexpr char kMarginByte = '\x5C';

  void Place(const std::string& bytes) {
    const auto size = static_cast<int64_t>(bytes.size());
    memory_.push_back(AllocateAligned(size + 2 * kMargin));
    std::memset(memory_.back().get(), kMarginByte, size + 2 * kMargin);
    std::memcpy(memory_.back().get() + kMargin, bytes.data(), size);
    before_.push_back(bytes);
  }

  const RoutineCall& call_;
  std::vector<AlignedBytes> memory_;
  std::vector<std::string> before_;
};

bool HasFailedItem(const RoutineCall& call, const Buffers& buffers) {
  const int32_t* const info =
      reinterpret_cast<const int32_t*>(buffers.result(call.results.size() - 1));
  const int64_t n = call.results.back().num_elements();
  return call.results.back().dtype == DType::kI32 &&
         std::any_of(info, info + n, [](int32_t value) { return value != 0; });
}

bool HasNotFinite(const RoutineCall& call, const Buffers& buffers) {
  for (size_t r = 0; r < call.results.size(); ++r) {
    for (int64_t i = 0; i < call.results[r].num_elements(); ++i) {
      if (!IsFinite(call.results[r], buffers.result(r), i)) return true;
    }
  }
  return false;
}

bool HasElements(const TensorType& type) { return type.num_elements() > 0; }

// Numbers of rows and columns are counted from 1 up to the size of the first operand.
bool NumbersAreInRange(const RoutineCall& call, const Buffers& buffers) {
  const int64_t batch_rank = BatchRankOf(call);
  const TensorType& first = call.operands[0];
  const int64_t most = *std::max_element(first.dims.begin() + batch_rank, first.dims.end());
  for (size_t r = 0; r < call.results.size(); ++r) {
    const TensorType& type = call.results[r];
    if (type.dtype != DType::kI32 || type.rank() == batch_rank) continue;
    for (int64_t i = 0; i < type.num_elements(); ++i) {
      const int64_t value = ir::ReadInt(type.dtype, buffers.result(r), i);
      if (value < 1 || value > most) return false;
    }
  }
  return true;
}

void CheckCall(const RoutineCall& call, Values values) {
  SCOPED_TRACE(absl::StrCat(ToString(call), " of values ", static_cast<int>(values)));
  Buffers buffers(call, values);
  ASSERT_EQ(buffers.Run(1), static_cast<int32_t>(CodeStatus::kOk));
  ASSERT_TRUE(buffers.OperandsAndMarginsAreKept());
  ASSERT_TRUE(NumbersAreInRange(call, buffers));
  const bool is_full = std::all_of(call.operands.begin(), call.operands.end(), HasElements) &&
                       std::all_of(call.results.begin(), call.results.begin() + 1, HasElements);
  if (is_full && (values == Values::kNan || values == Values::kInfinite)) {
    ASSERT_TRUE(SaysInfo(call.routine)
                    ? HasFailedItem(call, buffers)
                    : HasFailedItem(call, buffers) || HasNotFinite(call, buffers));
  }
  Buffers on_threads(call, values);
  ASSERT_EQ(on_threads.Run(4), static_cast<int32_t>(CodeStatus::kOk));
  ASSERT_TRUE(on_threads.Results() == buffers.Results());
}

class CpuRoutineShapesTest : public ::testing::TestWithParam<int> {
 protected:
  Routine routine() const { return static_cast<Routine>(GetParam()); }

  static std::vector<DType> DTypes() {
    return {DType::kF16, DType::kBF16, DType::kF32, DType::kF64, DType::kC64, DType::kC128};
  }
};

TEST_P(CpuRoutineShapesTest, TakesAllSmallShapesAndValues) {
  int64_t calls = 0;
  for (const DType dtype : DTypes()) {
    for (const ir::Dims& batch : std::vector<ir::Dims>{{}, {0}, {1}, {3}, {2, 0}}) {
      for (const RoutineCall& call : CallsOf(routine(), dtype, batch, {0, 1, 2, 3})) {
        for (const Values values : kAllValues) {
          ++calls;
          ASSERT_NO_FATAL_FAILURE(CheckCall(call, values));
        }
      }
    }
  }
  EXPECT_GT(calls, 100);
}

// Where blocks take over from loops.
TEST_P(CpuRoutineShapesTest, TakesLargerShapesAndAllValues) {
  // All dimensions of a Fourier transform have these sizes.
  const int64_t large = routine() == Routine::kFft ? 17 : 37;
  for (const DType dtype : DTypes()) {
    for (const RoutineCall& call : CallsOf(routine(), dtype, {}, {1, large})) {
      for (const Values values : kAllValues) ASSERT_NO_FATAL_FAILURE(CheckCall(call, values));
    }
  }
}

TEST_P(CpuRoutineShapesTest, ABatchOfNothingHasAnySize) {
  const ir::Dims batch = {int64_t{1} << 40};
  for (const DType dtype : DTypes()) {
    for (const RoutineCall& call : CallsOf(routine(), dtype, batch, {0})) {
      if (std::any_of(call.results.begin(), call.results.end(), HasElements)) continue;
      ASSERT_NO_FATAL_FAILURE(CheckCall(call, Values::kZero));
    }
  }
}

TEST_P(CpuRoutineShapesTest, SizesThatLibrariesCannotCountAreRefused) {
  if (routine() == Routine::kFft) return;  // which has no library
  for (const int64_t others : {0, 1}) {
    for (const char huge : LettersOf(routine())) {
      for (const DType dtype : DTypes()) {
        std::map<char, int64_t> sizes;
        for (const char letter : LettersOf(routine())) sizes[letter] = others;
        sizes[huge] = int64_t{1} << 31;
        RoutineCall call = CallOf(routine(), dtype, {}, sizes);
        call.parameters = ParametersOf(routine())[0];
        EXPECT_FALSE(CheckRoutine(call).ok()) << ToString(call);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Routines, CpuRoutineShapesTest, ::testing::Range(0, kNumRoutines),
                         [](const auto& info) {
                           return std::string(NameOf(static_cast<Routine>(info.param)));
                         });

// Address space without memory behind it: nothing of it may be touched.
class AddressSpace {
 public:
  explicit AddressSpace(int64_t size_bytes)
      : size_(static_cast<size_t>(std::max<int64_t>(size_bytes, 1))),
        begin_(
            mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace() { munmap(begin_, size_); }
  void* begin() const { return begin_; }

 private:
  const size_t size_;
  void* const begin_;
};

struct LargeCall {
  Routine routine;
  std::vector<int64_t> parameters;
  DType dtype;
  std::map<char, int64_t> sizes;
};

// Sizes from which on LAPACK's own 32-bit arithmetic on workspaces overflows.
TEST(CpuRoutineWorkspaceTest, SizesBeyondLapacksIntegersAreRefusedBeforeMemoryIsTouched) {
  const LargeCall calls[] = {
      {Routine::kHermitianEigen, {1, 1}, DType::kF32, {{'n', 32767}}},
      {Routine::kHermitianEigen, {1, 1}, DType::kC64, {{'n', 32767}}},
      {Routine::kSvdThin, {1, 0}, DType::kF32, {{'m', 23171}, {'n', 23171}}},
      {Routine::kSvdThin, {1, 0}, DType::kC64, {{'m', 21000}, {'n', 21000}}},
      {Routine::kSvdFull, {1, 1}, DType::kF64, {{'m', 40000}, {'n', 40000}}},
      {Routine::kSvdThin, {0, 1}, DType::kF32, {{'m', 40000}, {'n', 40000}}},
      {Routine::kQrPivoted, {}, DType::kF32, {{'m', 1}, {'n', 100000000}}},
  };
  for (const LargeCall& large : calls) {
    RoutineCall call = CallOf(large.routine, large.dtype, {}, large.sizes);
    call.parameters = large.parameters;
    ASSERT_TRUE(CheckRoutine(call).ok()) << CheckRoutine(call);
    std::vector<std::unique_ptr<AddressSpace>> memory;
    std::vector<void*> addresses;
    for (const std::vector<TensorType>* types : {&call.operands, &call.results}) {
      for (const TensorType& type : *types) {
        memory.push_back(std::make_unique<AddressSpace>(type.size_bytes()));
        addresses.push_back(memory.back()->begin());
      }
    }
    static constexpr bool kNever = false;
    RunState state(LaunchContext{.arguments = nullptr,
                                 .results = nullptr,
                                 .arena = nullptr,
                                 .constants = nullptr,
                                 .num_threads = 1,
                                 .interrupted = &kNever});
    EXPECT_EQ(RunRoutine(&state.context, RoutineKeyOf(call).data(), addresses.data()),
              static_cast<int32_t>(CodeStatus::kFailed))
        << ToString(call);
    const MutexLock lock(state.mutex);
    EXPECT_EQ(state.failure.code(), absl::StatusCode::kResourceExhausted) << state.failure;
  }
}

TEST(CpuRoutineWorkspaceTest, AnswersWithoutMeaningGiveWay) {
  EXPECT_EQ(WorkspaceSize(1000, 10), 1001);  // it may have been rounded down
  EXPECT_EQ(WorkspaceSize(0, 0), 1);
  EXPECT_EQ(WorkspaceSize(-5e8, 10), 10);
  EXPECT_EQ(WorkspaceSize(5, 10), 10);
  EXPECT_EQ(WorkspaceSize(3e9, 10), 10);
  EXPECT_EQ(WorkspaceSize(std::numeric_limits<double>::quiet_NaN(), 10), 10);
  EXPECT_TRUE(CheckWorkspace(2147483647.0).ok());
  EXPECT_EQ(CheckWorkspace(2147483648.0).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace acceld::kernels::cpu
