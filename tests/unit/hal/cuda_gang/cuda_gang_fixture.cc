#include "tests/unit/hal/cuda_gang/cuda_gang_fixture.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/types/element.h"
#include "server/compiler/compiler.h"
#include "server/compiler/spmd/partition.h"

namespace acceld::testing {

void CudaGangTest::Open(int devices, const hal::cuda::Toolkit& toolkit) {
  Close();
  cuda_ = std::make_unique<FakeCuda>(FakeCuda::Options{.devices = devices});
  for (codegen::TargetDevice& opened : cuda_->Open({}, toolkit)) {
    devices_.push_back(std::move(opened.device));
    generators_.push_back(std::move(opened.generator));
    streams_.push_back(devices_.back()->CreateStream("run"));
  }
}

void CudaGangTest::Close() {
  if (cuda_ == nullptr) return;
  streams_.clear();
  generators_.clear();
  devices_.clear();
  EXPECT_EQ(cuda_->live_objects(), 0);
  cuda_.reset();
}

std::shared_ptr<const hal::Executable> CudaGangTest::Compile(absl::string_view text) {
  const absl::StatusOr<ir::Module> module = ir::ParseModule(text);
  if (!module.ok()) {
    ADD_FAILURE() << module.status() << "\n" << text;
    return std::make_shared<hal::Executable>();
  }
  std::vector<ir::TensorType> types;
  for (const ir::Type& type : (*module->Entry("main"))->ParameterTypes()) {
    types.push_back(type.tensor());
  }
  types.push_back({ir::DType::kUI32, {}});  // the number of the process
  auto executable = compiler::Compile(*module, "main", types, *generators_[0], {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status() << "\n" << text;
  return std::make_shared<hal::Executable>(executable.ok() ? *std::move(executable)
                                                           : hal::Executable());
}

absl::StatusOr<std::shared_ptr<const hal::Module>> CudaGangTest::Load(
    const hal::Executable& executable, size_t device) {
  return devices_[device]->Load(executable);
}

std::shared_ptr<hal::Gang> CudaGangTest::NewGang(size_t participants) {
  std::vector<size_t> all;
  for (size_t i = 0; i < (participants == 0 ? devices_.size() : participants); ++i) {
    all.push_back(i);
  }
  return NewGangOn(all);
}

std::shared_ptr<hal::Gang> CudaGangTest::NewGangOn(const std::vector<size_t>& devices) {
  std::vector<hal::Device*> members;
  for (const size_t device : devices) members.push_back(devices_[device].get());
  return *devices_[devices[0]]->CreateGang(members);
}

CudaGangTest::Run CudaGangTest::Start(const hal::Executable& executable,
                                      const std::shared_ptr<hal::Gang>& gang, size_t participant,
                                      const std::vector<ir::Literal>& arguments,
                                      std::optional<size_t> on) {
  hal::Device& device = *devices_[on.value_or(participant)];
  hal::Stream& stream = *streams_[on.value_or(participant)];
  hal::Launch launch{.module = *device.Load(executable),
                     .control = std::make_shared<hal::RunControl>(),
                     .gang = gang,
                     .participant = static_cast<int>(participant)};
  std::vector<ir::Literal> all = arguments;
  all.push_back(ir::Literal::Filled({ir::DType::kUI32, {}}, static_cast<double>(participant)));
  for (const ir::Literal& argument : all) {
    auto bytes = std::make_shared<std::string>(argument.DenseBytes());
    const auto size = static_cast<int64_t>(bytes->size());
    launch.arguments.push_back(*device.Allocate(size));
    stream.CopyFromHost(bytes->data(), size, launch.arguments.back(), 0, bytes);
  }
  for (const ir::TensorType& type : executable.results) {
    launch.results.push_back(*device.Allocate(type.size_bytes()));
  }
  if (executable.arena_bytes > 0) launch.arena = *device.Allocate(executable.arena_bytes);
  Run run{.results = launch.results, .control = launch.control};
  run.event = stream.Run(std::move(launch));
  return run;
}

std::vector<CudaGangTest::Run> CudaGangTest::StartAll(
    const hal::Executable& executable, const std::shared_ptr<hal::Gang>& gang,
    const std::vector<std::vector<ir::Literal>>& arguments) {
  std::vector<Run> runs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    runs.push_back(Start(executable, gang, i, arguments[i]));
  }
  return runs;
}

absl::StatusOr<ir::Literal> CudaGangTest::Fetch(const Run& run, const hal::Executable& executable,
                                                size_t device, size_t result) {
  const ir::TensorType& type = executable.results[result];
  auto bytes = std::make_shared<std::string>(static_cast<size_t>(type.size_bytes()), '\x7e');
  ACCELD_RETURN_IF_ERROR(
      streams_[device]->CopyToHost(run.results[result], bytes->data(), bytes).Await().status());
  return ir::Literal::FromBytes(type, *bytes);
}

std::vector<absl::Status> CudaGangTest::EndsOf(const std::vector<Run>& runs) {
  std::vector<absl::Status> ends;
  for (const Run& run : runs) ends.push_back(run.event.Await().status());
  return ends;
}

void CudaGangTest::ExpectAsInterpreted(absl::string_view text,
                                       const std::vector<std::vector<ir::Literal>>& arguments,
                                       double tolerance) {
  const auto executable = Compile(text);
  ASSERT_FALSE(executable->results.empty());
  const std::vector<Run> runs = StartAll(*executable, NewGang(arguments.size()), arguments);
  for (const absl::Status& end : EndsOf(runs)) ASSERT_TRUE(end.ok()) << end << "\n" << text;
  const auto program = compiler::spmd::Partition(*ir::ParseModule(text));
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<std::vector<ir::Literal>> of_processes = arguments;
  for (size_t p = 0; p < of_processes.size(); ++p) {
    of_processes[p].push_back(ir::Literal::Filled({ir::DType::kUI32, {}}, static_cast<double>(p)));
  }
  const auto expected = ir::InterpretProcesses(program->module, "main", of_processes);
  ASSERT_TRUE(expected.ok()) << expected.status() << "\n" << text;
  for (size_t p = 0; p < runs.size(); ++p) {
    for (size_t r = 0; r < executable->results.size(); ++r) {
      const auto value = Fetch(runs[p], *executable, p, r);
      ASSERT_TRUE(value.ok()) << value.status();
      if (value->DenseBytes() == (*expected)[p][r].DenseBytes()) continue;
      // The bits of NaN do not matter.
      const ir::DType dtype = value->type().dtype;
      const bool is_rounded = tolerance > 0 && (ir::IsFloat(dtype) || ir::IsComplex(dtype));
      const ir::Comparison comparison =
          ir::Compare({.tolerance = is_rounded ? ir::Tolerance::kAbsolute : ir::Tolerance::kExact,
                       .bound = tolerance,
                       .nan_equal = true},
                      *value, (*expected)[p][r]);
      EXPECT_TRUE(comparison.passed)
          << comparison.message << "\nparticipant " << p << ", result " << r << "\n"
          << text;
    }
  }
}

std::string LocalProgram(int partitions, absl::string_view function) {
  return absl::StrCat("module attributes {mhlo.num_partitions = ", partitions,
                      " : i32, mhlo.num_replicas = 1 : i32} {\nfunc.func public @main", function,
                      "\n}");
}

std::vector<std::vector<ir::Literal>> DistinctArguments(int partitions, const ir::TensorType& type,
                                                        bool with_nan) {
  std::vector<std::vector<ir::Literal>> arguments;
  for (int p = 0; p < partitions; ++p) {
    std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
    for (int64_t i = 0; i < type.num_elements(); ++i) {
      const int64_t number = (i * 7 + p * 3 + i * p) % 5 - 2;
      if (ir::IsFloat(type.dtype)) {
        const bool is_nan = with_nan && (i + p) % 11 == 5;
        ir::WriteFloat(
            type.dtype, bytes.data(), i,
            is_nan ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(number) * 0.5);
      } else if (ir::IsComplex(type.dtype)) {
        ir::WriteComplex(type.dtype, bytes.data(), i,
                         {static_cast<double>(number), static_cast<double>(p)});
      } else {
        ir::WriteInt(type.dtype, bytes.data(), i, number);
      }
    }
    arguments.push_back({*ir::Literal::FromBytes(type, std::move(bytes))});
  }
  return arguments;
}

}  // namespace acceld::testing
