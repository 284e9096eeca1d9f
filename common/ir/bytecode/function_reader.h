#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/bytecode/decoder.h"
#include "common/ir/bytecode/op_header.h"
#include "common/ir/bytecode/stored_op.h"
#include "common/ir/import/importer.h"
#include "common/ir/module.h"

namespace acceld::ir::bytecode {

// The state that the readers of one file share.
struct Reader {
  Reader(Container read, ImportTotals& import_totals, uint64_t file_bytes)
      : container(std::move(read)),
        totals(import_totals),
        decoder(container, totals.budget),
        values_left(file_bytes) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Returns the source location of the ops with this location attribute.
  Location LocationOf(uint64_t attribute);

  const Container container;
  ImportTotals& totals;
  Decoder decoder;
  std::vector<std::string> source_locations;  // Module::source_locations
  int64_t op_count = 0;                       // over all functions
  uint64_t values_left;  // how many values may still be defined, in all functions

 private:
  absl::flat_hash_map<uint64_t, uint32_t> location_of_attribute_;
  size_t location_bytes_ = 0;
};

// Returns the attributes of an op, those of its dictionary and its properties, as numbers under the
// names that its dialect gives them. `op` has the names of its properties.
absl::StatusOr<Decoder::Entries> ReadAttributes(Reader& reader, const OpHeader& header,
                                                const StoredOp& op);

// Reads the body of one function. Each op is checked against its inference rule when it is read;
// errors name it: "op 3 'vhlo.add_v1': ...".
class FunctionReader {
 public:
  FunctionReader(Reader& reader, std::string name, bool is_public);

  // Reads the function's region, which is isolated: it uses no values of the regions around it.
  absl::StatusOr<Function> ReadBody(Cursor& in);
  // The type of the function that ReadBody has read, with the types that the file declares.
  const FunctionType& type() const { return type_; }

 private:
  enum class RegionKind {
    kBody,     // the body of the function, whose parameters are added
    kInner,    // a region that is opened in the builder
    kInlined,  // of an op of inlined_ops.h; its parameters are the operands
  };
  // Reads a region and returns its results. `inlined` is the op of a kInlined region.
  absl::StatusOr<std::vector<ValueId>> ReadRegion(Cursor& in, RegionKind kind,
                                                  const ImportedOp* inlined = nullptr);
  absl::StatusOr<Region> ReadInnerRegion(Cursor& in);
  // Reads one op. Returns true when the op was the terminator, whose operands are then in
  // `returned`.
  absl::StatusOr<bool> ReadOp(Cursor& in, const OpHeader& header, std::vector<ValueId>& returned);
  // Reads the attributes and regions of an op, which has its other parts already, and imports it.
  absl::StatusOr<std::vector<ValueId>> ReadContents(Cursor& in, const OpHeader& header,
                                                    const StoredOp& stored, ImportedOp& op);
  absl::Status ReadRegions(Cursor& in, const OpHeader& header, std::vector<Region>& regions);
  // Reads the region of an op of inlined_ops.h and returns what the region returns.
  absl::StatusOr<std::vector<ValueId>> ReadInlinedRegion(Cursor& in, const OpHeader& header,
                                                         const ImportedOp& op);
  // Calls `read` with a cursor at the op's regions, while values_ is as these regions number
  // values.
  template <typename Read>
  absl::Status ReadAtRegions(Cursor& in, const OpHeader& header, Read read);
  absl::StatusOr<std::vector<ValueId>> OperandsOf(const OpHeader& header) const;
  absl::StatusOr<AttributeDictionary> AttributesOf(const OpHeader& header, const StoredOp& op);
  // Assigns the next numbers of the innermost region to the values.
  absl::Status Define(const std::vector<ValueId>& ids);

  Reader& reader_;
  Importer importer_;
  FunctionType type_;
  int depth_ = 0;
  // The values of all open regions by their number in the file, those of outer regions first.
  std::vector<ValueId> values_;
  size_t next_value_ = 0;  // of the innermost open region
};

}  // namespace acceld::ir::bytecode
