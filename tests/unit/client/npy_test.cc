#include "client/npy.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::client {
namespace {

using ::testing::HasSubstr;

// A version 1.0 file with this header dictionary and data.
std::string File(std::string header, const std::string& data) {
  header.push_back('\n');
  std::string file("\x93NUMPY\x01\x00", 8);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  return file + header + data;
}

TEST(NpyTest, EveryDtypeNumpyHasSurvivesARoundTrip) {
  using ir::DType;
  for (DType dtype : {DType::kI1, DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kUI8,
                      DType::kUI16, DType::kUI32, DType::kUI64, DType::kF16, DType::kBF16,
                      DType::kF32, DType::kF64, DType::kC64, DType::kC128}) {
    const ir::Literal literal = ir::Literal::Filled({dtype, {2, 3}}, 1);
    const absl::StatusOr<ir::Literal> read = DecodeNpy(EncodeNpy(literal));
    ASSERT_TRUE(read.ok()) << ir::DTypeName(dtype) << ": " << read.status();
    EXPECT_TRUE(*read == literal) << ir::DTypeName(dtype);
  }
}

TEST(NpyTest, ElementsThatNumpyLacksAreReadFromTheirBytes) {
  using ir::DType;
  const auto read = [](const std::string& data, DType dtype) {
    absl::StatusOr<ir::Literal> bytes =
        DecodeNpy(File("{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }", data));
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return *FromStorageBytes(*std::move(bytes), dtype);
  };
  // -5, 7 and -1 as ml_dtypes has them, and -1 as this daemon has it.
  EXPECT_TRUE(read("\x0B\x07\x0F", DType::kI4) == read("\xFB\x07\xFF", DType::kI4));
  EXPECT_EQ(read("\x0B\x07\x0F", DType::kI4).DenseBytes(), "\xFB\x07\xFF");
  EXPECT_EQ(read("\xFB\x07\xFF", DType::kUI4).DenseBytes(), "\x0B\x07\x0F");
  EXPECT_EQ(read("\xF8\x07\x0F", DType::kF4E2M1FN).DenseBytes(), "\x08\x07\x0F");
  const ir::Literal floats = read("\xFB\x07\xFF", DType::kF8E5M2);
  EXPECT_EQ(floats.type().dtype, DType::kF8E5M2);
  EXPECT_TRUE(*DecodeNpy(EncodeNpy(floats)) == read("\xFB\x07\xFF", DType::kUI8));
  EXPECT_EQ(FromStorageBytes(ir::Literal::Zeros({DType::kF32, {3}}), DType::kI4)->type().dtype,
            DType::kF32);
}

TEST(NpyTest, ScalarsAndEmptyArraysSurviveARoundTrip) {
  for (const ir::Dims& dims : {ir::Dims{}, ir::Dims{0}, ir::Dims{3, 0}}) {
    const ir::Literal literal = ir::Literal::Filled({ir::DType::kF32, dims}, 2.5);
    const absl::StatusOr<ir::Literal> read = DecodeNpy(EncodeNpy(literal));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == literal);
  }
}

TEST(NpyTest, DataBeginsAtAMultipleOf64Bytes) {
  const std::string file = EncodeNpy(ir::Literal::Zeros({ir::DType::kF32, {1}}));
  EXPECT_EQ((file.size() - 4) % 64, 0u);
  EXPECT_EQ(file[file.size() - 5], '\n');
}

TEST(NpyTest, FortranOrderIsTransposed) {
  const absl::StatusOr<ir::Literal> read =
      DecodeNpy(File("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
                     std::string("\x01\x04\x02\x05\x03\x06")));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->DenseBytes(), "\x01\x02\x03\x04\x05\x06");
}

TEST(NpyTest, MalformedFilesSayWhy) {
  const struct {
    std::string file, message;
  } cases[] = {
      {"", "magic"},
      {std::string("\x93NUMPY\x01", 7), "ends within its header"},
      {std::string("\x93NUMPY\x09\x00\x00\x00", 10), "version 9"},
      {File("{'fortran_order': False, 'shape': (1,), }", "x"), "lacks 'descr'"},
      {File("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "xxxx"), "big-endian"},
      {File("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "x"), "no counterpart"},
      {File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "xxxx"), "needs 8 bytes"},
      {File("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""), "-1"},
      {File("{'descr': '<f4', 'fortran_order': False, 'shape': (a,), }", ""), "no integer"},
      {File("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", ""),
       ""},
  };
  for (const auto& c : cases) {
    const absl::Status status = DecodeNpy(c.file).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
}

TEST(NpyTest, EveryPrefixOfAFileIsRefused) {
  const std::string file = EncodeNpy(ir::Literal::Filled({ir::DType::kI32, {3}}, 7));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(DecodeNpy(file.substr(0, size)).ok()) << size;
  }
}

TEST(NpyTest, AMissingFileIsNamed) {
  const absl::Status status = ReadNpy("/nonexistent/x.npy").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nonexistent/x.npy"));
}

}  // namespace
}  // namespace acceld::client
