// Training steps that donate their parameters: what they compute, and how much memory they take at
// most, on the processor and on a GPU that the fake driver stands in for.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "server/codegen/cpu/cpu_code_generator.h"
#include "server/compiler/compiler.h"
#include "server/compiler/plan/hints.h"
#include "server/compiler/plan/in_place.h"
#include "server/compiler/plan/liveness.h"
#include "server/hal/cpu/cpu_device.h"
#include "server/runtime/device_executor.h"
#include "tests/support/fake_cuda/fake_cuda.h"
#include "tests/support/source_path.h"
#include "tests/unit/compiler/test_support.h"
#include "tests/unit/hal/counting_device.h"

namespace acceld::runtime {
namespace {

constexpr auto kForever = std::chrono::steady_clock::time_point::max();
using ArrayPtr = std::shared_ptr<Array>;

ir::Module ReadProgram(const std::string& name) {
  std::ifstream file(
      testing::SourcePath(absl::StrCat("tests/unit/compiler/training/", name, ".mlir")));
  std::ostringstream text;
  text << file.rdbuf();
  absl::StatusOr<ir::Module> module = ir::ParseModule(text.str());
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

int64_t AlignedBytes(const ir::Function& function, ir::ValueId id) {
  constexpr int64_t kAlignment = kernels::kBufferAlignment;
  return (function.TensorOf(id).size_bytes() + kAlignment - 1) / kAlignment * kAlignment;
}

// What exists at the same time, at most: what an op reads, what it makes and what is read later,
// and arguments that are not donated. Results that an op can write over what it is the last to read
// take nothing. No way to run these ops in this order takes less.
int64_t LeastMemory(const ir::Function& function, const std::vector<ir::Donation>& donations) {
  const compiler::Liveness liveness = compiler::ComputeLiveness(function);
  std::vector<ir::ValueId> storage(function.value_types.size());  // where an alias is
  std::vector<int32_t> last_use = liveness.last_use;
  std::vector<std::pair<ir::ValueId, int32_t>> values;  // and when they begin
  for (size_t i = 0; i < function.body.parameters.size(); ++i) {
    const ir::ValueId id = function.body.parameters[i];
    storage[id] = id;
    values.push_back({id, -1});
    const bool is_donated = std::any_of(donations.begin(), donations.end(),
                                        [&](const auto& one) { return one.parameter == i; });
    if (!is_donated) last_use[id] = liveness.ticks;
  }
  int32_t tick = 0;
  for (const ir::Op& op : function.body.ops) {
    EXPECT_TRUE(op.regions.empty() || op.kind == ir::OpKind::kFusion) << "loops are not counted";
    for (const ir::ValueId id : op.results) {
      storage[id] = id;
      if (op.kind == ir::OpKind::kConstant) continue;  // Not of one execution.
      if (compiler::IsAlias(function, op)) {
        storage[id] = storage[op.operands[0]];
        last_use[storage[id]] = std::max(last_use[storage[id]], last_use[id]);
      } else {
        values.push_back({id, tick});
      }
    }
    ++tick;
  }
  int64_t most = 0;
  for (int32_t at = 0; at < tick; ++at) {
    const ir::Op& op = function.body.ops[at];
    if (op.kind == ir::OpKind::kConstant || compiler::IsAlias(function, op)) continue;
    int64_t live = 0;
    for (const auto& [id, begin] : values) {
      if (begin <= at && last_use[id] >= at) live += AlignedBytes(function, id);
    }
    const std::vector<compiler::Overwriters> overwriters = compiler::FindOverwriters(function, op);
    std::set<ir::ValueId> overwritten;
    for (size_t r = 0; r < op.results.size(); ++r) {
      for (size_t i = 0; i < op.operands.size(); ++i) {
        const ir::ValueId operand = storage[op.operands[i]];
        // A product may be written over its addend.
        const bool is_product =
            op.kind == ir::OpKind::kFusion &&
            op.As<ir::FusionAttributes>().kind == ir::FusionKind::kMatmul &&
            AlignedBytes(function, operand) == AlignedBytes(function, op.results[r]);
        const bool fits = is_product || (overwriters[i].results >> r & 1) != 0;
        if (!fits || last_use[operand] != at || !overwritten.insert(operand).second) continue;
        live -= AlignedBytes(function, op.results[r]);
        break;
      }
    }
    most = std::max(most, live);
  }
  return most;
}

// One training program on one device.
class Training {
 public:
  Training(hal::Device& device, const codegen::CodeGenerator& generator, const std::string& name)
      : device_(device), executor_(device_, 0, {}), module_(ReadProgram(name)) {
    queue_ = executor_.OpenQueue(account_, Priority::kNormal);
    const ir::Function& main = module_.functions[0];
    std::vector<ir::TensorType> types;
    for (const ir::Type& type : main.ParameterTypes()) types.push_back(type.tensor());
    auto executable = compiler::Compile(module_, "main", types, generator, {}, nullptr);
    EXPECT_TRUE(executable.ok()) << executable.status();
    auto shared = std::make_shared<const hal::Executable>(*std::move(executable));
    auto loaded = device.Load(*shared);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    executable_ = std::make_shared<const hal::LoadedExecutable>(std::move(shared), *loaded);
    for (const ir::TensorType& type : types) {
      values_.push_back(compiler::SomeValues(type, static_cast<int>(values_.size())));
      std::string bytes = values_.back().DenseBytes();
      // Small ones, which training does not make infinite.
      for (int64_t i = 0; i < type.num_elements(); ++i) {
        const double value = ir::ReadFloat(type.dtype, bytes.data(), i);
        ir::WriteFloat(type.dtype, bytes.data(), i, value == -1 ? 0.1 : std::abs(value) / 20);
      }
      values_.back() = *ir::Literal::FromBytes(type, bytes);
    }
  }

  const ir::Module& module() const { return module_; }
  const ir::Function& main() const { return module_.functions[0]; }

  // Bytes of the device in use at most, beside what is there already, while it is trained.
  int64_t PeakOf(int steps, bool donates) {
    // Tables and workspaces that a stream has from its first runs on.
    for (int i = 0; i < 3; ++i) Train(1, donates);
    const int64_t before = device_.memory().used_bytes;
    device_.ResetPeak();
    Train(steps, donates);
    return device_.peak_bytes() - before;
  }

  // The results of the last step.
  std::vector<ir::Literal> Train(int steps, bool donates) {
    std::vector<ArrayPtr> arrays;
    for (const ir::Literal& value : values_) arrays.push_back(Upload(value));
    std::vector<ArrayPtr> results;
    for (int step = 0; step < steps; ++step) {
      Execution execution;
      execution.program_name = std::make_shared<const std::string>("train");
      execution.executable = executable_;
      execution.inputs.assign(arrays.begin(), arrays.end());
      results.clear();
      std::vector<ArrayPtr> made;
      for (const ir::TensorType& type : executable_->executable->results) {
        made.push_back(std::make_shared<Array>(type, 0, account_));
        results.push_back(Array::ForReaders(made.back()));
      }
      for (const ir::Donation& donation : main().donations) {
        arrays[donation.parameter] = results[*donation.result];
        if (!donates) continue;
        execution.donated.push_back({donation.parameter, donation.result,
                                     std::make_shared<Donation>(execution.program_name, 0)});
      }
      if (step + 1 < steps) results.clear();
      auto task = Task::Create(std::move(execution));
      task->outputs.assign(made.begin(), made.end());
      made.clear();
      executor_.Submit(queue_, std::move(task), /*executable_ready=*/true);
    }
    std::vector<ir::Literal> values;
    for (const ArrayPtr& result : results) values.push_back(Fetch(result));
    arrays.clear();
    results.clear();
    EXPECT_TRUE(executor_.WaitUntilIdle(kForever));
    EXPECT_EQ(account_->bytes(), 0);
    return values;
  }

  std::vector<ir::Literal> Expected(int steps) const {
    std::vector<ir::Literal> values = values_, results;
    for (int step = 0; step < steps; ++step) {
      auto computed = ir::Interpret(module_, "main", values);
      EXPECT_TRUE(computed.ok()) << computed.status();
      results = *std::move(computed);
      for (const ir::Donation& donation : main().donations) {
        values[donation.parameter] = results[*donation.result];
      }
    }
    return results;
  }

  uint64_t donated_bytes() const { return executor_.instruments().donated_bytes.value(); }

 private:
  ArrayPtr Upload(const ir::Literal& value) {
    auto bytes = std::make_shared<std::string>(value.DenseBytes());
    auto task =
        Task::Create(runtime::Upload{bytes->data(), static_cast<int64_t>(bytes->size()), bytes});
    auto array = std::make_shared<Array>(value.type(), 0, account_);
    task->outputs.push_back(array);
    executor_.Submit(queue_, std::move(task), true);
    return Array::ForReaders(std::move(array));
  }
  ir::Literal Fetch(const ArrayPtr& array) {
    (void)array->Final().Await();
    EXPECT_TRUE(array->error().ok()) << array->error();
    auto promise = std::make_shared<Promise<std::string>>();
    const Future<std::string> bytes = promise->future();
    executor_.Download(array, [promise](absl::StatusOr<SharedBytes> read) {
      promise->Set(std::string(read->view));
    });
    return *ir::Literal::FromBytes(*array->type(), *bytes.Await());
  }

  testing::CountingDevice device_;
  DeviceExecutor executor_;
  const ir::Module module_;
  const std::shared_ptr<MemoryAccount> account_ = std::make_shared<MemoryAccount>(INT64_MAX);
  std::shared_ptr<TaskQueue> queue_;
  std::shared_ptr<const hal::LoadedExecutable> executable_;
  std::vector<ir::Literal> values_;
};

void ExpectClose(const std::vector<ir::Literal>& actual, const std::vector<ir::Literal>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t r = 0; r < actual.size(); ++r) {
    const std::string a = actual[r].DenseBytes(), b = expected[r].DenseBytes();
    for (int64_t i = 0; i < actual[r].type().num_elements(); ++i) {
      const double value = ir::ReadFloat(ir::DType::kF32, b.data(), i);
      ASSERT_NEAR(ir::ReadFloat(ir::DType::kF32, a.data(), i), value,
                  1e-3 * std::max(1.0, std::abs(value)))
          << "result " << r << ", element " << i;
    }
  }
}

void ExpectTrainsInPlace(hal::Device& device, const codegen::CodeGenerator& generator,
                         const std::string& name) {
  Training training(device, generator, name);
  const absl::StatusOr<ir::Module> optimized = compiler::Optimize(training.module(), {}, generator);
  ASSERT_TRUE(optimized.ok()) << optimized.status();
  const int64_t least = LeastMemory(optimized->functions[0], training.main().donations);
  const int64_t with = training.PeakOf(8, /*donates=*/true);
  EXPECT_LE(static_cast<double>(with), 1.1 * static_cast<double>(least));
  EXPECT_GT(training.donated_bytes(), 0u);
  const int64_t without = training.PeakOf(8, /*donates=*/false);
  EXPECT_GT(static_cast<double>(without), 1.25 * static_cast<double>(with));
  ::testing::Test::RecordProperty("least_bytes", absl::StrCat(least));
  ::testing::Test::RecordProperty("donating_bytes", absl::StrCat(with));
  ::testing::Test::RecordProperty("other_bytes", absl::StrCat(without));
  const std::vector<ir::Literal> expected = training.Expected(3);
  ExpectClose(training.Train(3, /*donates=*/true), expected);
  ExpectClose(training.Train(3, /*donates=*/false), expected);
}

class DonationMemory : public ::testing::TestWithParam<const char*> {};

TEST_P(DonationMemory, OnTheProcessorATrainingStepTakesLittleMoreThanItHasTo) {
  auto devices = hal::cpu::OpenCpuDevices({.memory_bytes_per_device = int64_t{64} << 20});
  ASSERT_TRUE(devices.ok()) << devices.status();
  ExpectTrainsInPlace(*devices->front(), codegen::cpu::CpuCodeGenerator(), GetParam());
}

TEST_P(DonationMemory, OnAGpuATrainingStepTakesLittleMoreThanItHasTo) {
  testing::FakeCuda cuda;
  auto devices = cuda.Open({});
  ExpectTrainsInPlace(*devices.front().device, *devices.front().generator, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Optimizers, DonationMemory, ::testing::Values("sgd", "momentum", "adam"));

}  // namespace
}  // namespace acceld::runtime
