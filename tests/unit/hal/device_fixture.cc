#include "tests/unit/hal/device_fixture.h"

#include <cstring>
#include <utility>

#include "common/ir/text.h"
#include "server/compiler/compiler.h"

namespace acceld::testing {

void CudaDeviceTest::Open(const FakeCuda::Options& options,
                          const hal::cuda::CudaDeviceOptions& device_options,
                          const hal::cuda::Toolkit& toolkit) {
  Close();
  cuda_ = std::make_unique<FakeCuda>(options);
  Reopen(device_options, toolkit);
}

void CudaDeviceTest::Reopen(const hal::cuda::CudaDeviceOptions& device_options,
                            const hal::cuda::Toolkit& toolkit) {
  stream_.reset();
  generators_.clear();
  devices_.clear();
  for (codegen::TargetDevice& opened : cuda_->Open(device_options, toolkit)) {
    devices_.push_back(std::move(opened.device));
    generators_.push_back(std::move(opened.generator));
  }
  stream_ = devices_[0]->CreateStream("run");
}

void CudaDeviceTest::Close() {
  if (cuda_ == nullptr) return;
  stream_.reset();
  generators_.clear();
  devices_.clear();
  EXPECT_EQ(cuda_->live_objects(), 0);
  EXPECT_TRUE(cuda_->IsBroken(0) || cuda_->used_bytes() == 0);
  cuda_.reset();
}

std::shared_ptr<const hal::Executable> CudaDeviceTest::Compile(absl::string_view text) {
  const absl::StatusOr<ir::Module> module = ir::ParseModule(text);
  if (!module.ok()) {
    ADD_FAILURE() << module.status();
    return std::make_shared<hal::Executable>();
  }
  std::vector<ir::TensorType> types;
  for (const ir::Type& type : (*module->Entry("main"))->ParameterTypes()) {
    types.push_back(type.tensor());
  }
  auto executable = compiler::Compile(*module, "main", types, *generators_[0], {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status();
  return std::make_shared<hal::Executable>(executable.ok() ? *std::move(executable)
                                                           : hal::Executable());
}

std::shared_ptr<const hal::Module> CudaDeviceTest::Load(const hal::Executable& executable) {
  auto module = devices_[0]->Load(executable);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::shared_ptr<hal::Buffer> CudaDeviceTest::Allocate(int64_t size_bytes) {
  auto buffer = devices_[0]->Allocate(size_bytes);
  EXPECT_TRUE(buffer.ok()) << buffer.status();
  return buffer.ok() ? *std::move(buffer) : nullptr;
}

hal::Launch CudaDeviceTest::LaunchOf(std::shared_ptr<const hal::Module> module,
                                     const hal::Executable& executable,
                                     std::vector<std::shared_ptr<hal::Buffer>> arguments) {
  hal::Launch launch{.module = std::move(module), .arguments = std::move(arguments)};
  for (const ir::TensorType& type : executable.results) {
    launch.results.push_back(Allocate(type.size_bytes()));
  }
  if (executable.arena_bytes > 0) launch.arena = Allocate(executable.arena_bytes);
  return launch;
}

std::shared_ptr<hal::Buffer> CudaDeviceTest::Put(const ir::Literal& value) {
  auto bytes = std::make_shared<std::string>(value.DenseBytes());
  std::shared_ptr<hal::Buffer> buffer = Allocate(static_cast<int64_t>(bytes->size()));
  stream_->CopyFromHost(bytes->data(), static_cast<int64_t>(bytes->size()), buffer, 0, bytes);
  return buffer;
}

absl::StatusOr<ir::Literal> CudaDeviceTest::Fetch(std::shared_ptr<hal::Buffer> buffer,
                                                  const ir::TensorType& type) {
  auto bytes = std::make_shared<std::string>(static_cast<size_t>(type.size_bytes()), '\x7e');
  ACCELD_RETURN_IF_ERROR(
      stream_->CopyToHost(std::move(buffer), bytes->data(), bytes).Await().status());
  return ir::Literal::FromBytes(type, *bytes);
}

absl::StatusOr<std::vector<ir::Literal>> CudaDeviceTest::Run(
    absl::string_view text, const std::vector<ir::Literal>& arguments) {
  const std::shared_ptr<const hal::Executable> executable = Compile(text);
  std::vector<std::shared_ptr<hal::Buffer>> buffers;
  for (const ir::Literal& argument : arguments) buffers.push_back(Put(argument));
  hal::Launch launch = LaunchOf(Load(*executable), *executable, std::move(buffers));
  const std::vector<std::shared_ptr<hal::Buffer>> results = launch.results;
  ACCELD_RETURN_IF_ERROR(stream_->Run(std::move(launch)).Await().status());
  std::vector<ir::Literal> values;
  for (size_t i = 0; i < results.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(ir::Literal value, Fetch(results[i], executable->results[i]));
    values.push_back(std::move(value));
  }
  return values;
}

ir::Literal Vector(const std::vector<float>& values) {
  return ir::Literal::FromValues<float>(
      {.dtype = ir::DType::kF32, .dims = {static_cast<int64_t>(values.size())}}, values);
}

ir::Literal Scalar(int32_t value) {
  return ir::Literal::FromValues<int32_t>({.dtype = ir::DType::kI32}, {value});
}

std::vector<float> FloatsOf(const ir::Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace acceld::testing
