#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"
#include "server/hal/device.h"
#include "tests/support/fake_cuda/fake_cuda.h"

namespace acceld::testing {

// Several devices of the fake driver, each with a stream, and launches of programs on all of them.
class CudaGangTest : public ::testing::Test {
 protected:
  void Open(int devices, const hal::cuda::Toolkit& toolkit = FakeCuda::toolkit());
  // Destroys all, which must then leave neither objects nor memory.
  void Close();
  void TearDown() override { Close(); }

  // What the compiler makes of @main. Fails the test if it makes nothing.
  std::shared_ptr<const hal::Executable> Compile(absl::string_view text);
  absl::StatusOr<std::shared_ptr<const hal::Module>> Load(const hal::Executable& executable,
                                                          size_t device);
  // A gang of the first `participants` devices, or of all.
  std::shared_ptr<hal::Gang> NewGang(size_t participants = 0);
  // A gang of these devices.
  std::shared_ptr<hal::Gang> NewGangOn(const std::vector<size_t>& devices);

  // The launch of one participant, which runs on the device of the same number unless another one
  // is given.
  struct Run {
    Event event;
    std::vector<std::shared_ptr<hal::Buffer>> results;
    std::shared_ptr<hal::RunControl> control;
  };
  Run Start(const hal::Executable& executable, const std::shared_ptr<hal::Gang>& gang,
            size_t participant, const std::vector<ir::Literal>& arguments,
            std::optional<size_t> device = {});
  std::vector<Run> StartAll(const hal::Executable& executable,
                            const std::shared_ptr<hal::Gang>& gang,
                            const std::vector<std::vector<ir::Literal>>& arguments);
  absl::StatusOr<ir::Literal> Fetch(const Run& run, const hal::Executable& executable,
                                    size_t device, size_t result);
  // How the runs have ended. Waits for them.
  static std::vector<absl::Status> EndsOf(const std::vector<Run>& runs);

  // Runs a program on the devices and with the interpreter, with these arguments of each process,
  // and compares the bits; or, of floats, their values within `tolerance`.
  void ExpectAsInterpreted(absl::string_view text,
                           const std::vector<std::vector<ir::Literal>>& arguments,
                           double tolerance = 0);

  std::unique_ptr<FakeCuda> cuda_;
  std::vector<std::unique_ptr<hal::Device>> devices_;
  std::vector<std::unique_ptr<const codegen::CodeGenerator>> generators_;
  std::vector<std::unique_ptr<hal::Stream>> streams_;
};

// A local program of `partitions` processes, whose function @main has this signature and body.
std::string LocalProgram(int partitions, absl::string_view function);
// Different small numbers for each participant: exact in every type, with both signs if it has
// them, NaN in some places if `with_nan` and the type has it.
std::vector<std::vector<ir::Literal>> DistinctArguments(int partitions, const ir::TensorType& type,
                                                        bool with_nan = false);

}  // namespace acceld::testing
