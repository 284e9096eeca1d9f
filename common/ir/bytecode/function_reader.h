#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/attributes/attribute.h"
#include "common/ir/bytecode/decoder.h"
#include "common/ir/bytecode/op_header.h"
#include "common/ir/bytecode/vhlo_ops.h"
#include "common/ir/import/importer.h"
#include "common/ir/module.h"

namespace acceld::ir::bytecode {

// What the readers of one file share.
struct Reader {
  Reader(Container read, ImportTotals& import_totals, uint64_t file_bytes)
      : container(std::move(read)),
        totals(import_totals),
        decoder(container, totals.budget),
        values_left(file_bytes) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Where the ops with this location attribute were made.
  Location LocationOf(uint64_t attribute);

  const Container container;
  ImportTotals& totals;
  Decoder decoder;
  std::vector<std::string> places;  // Module::places
  int64_t op_count = 0;             // over all functions
  uint64_t values_left;             // that may still be defined, over all functions

 private:
  absl::flat_hash_map<uint64_t, uint32_t> place_of_attribute_;
  size_t place_bytes_ = 0;
};

// The attributes of an op by the names that its dialect gives them, as numbers: its dictionary
// together with its properties. `op` says which properties it has.
absl::StatusOr<Decoder::Entries> ReadAttributes(Reader& reader, const OpHeader& header,
                                                const VhloOp& op);

// Reads the body of one function. Each op is checked against its inference rule where it stands;
// errors name it: "op 3 'vhlo.add_v1': ...".
class FunctionReader {
 public:
  FunctionReader(Reader& reader, std::string name, bool is_public);

  // The function's one region, which is isolated.
  absl::StatusOr<Function> ReadBody(Cursor& in);
  // What ReadBody read, as the file declares it.
  const FunctionType& type() const { return type_; }

 private:
  enum class RegionKind {
    kBody,     // of the function, which gets its parameters
    kInner,    // opened in the builder
    kInlined,  // of an op of inlined_ops.h, with the op's operands as its parameters
  };
  // A region's results. `inlined` is the op of a kInlined region.
  absl::StatusOr<std::vector<ValueId>> ReadRegion(Cursor& in, RegionKind kind,
                                                  const ImportedOp* inlined = nullptr);
  absl::StatusOr<Region> ReadInnerRegion(Cursor& in);
  // Reads one op. True when it was the terminator; `returned` is what it returns then.
  absl::StatusOr<bool> ReadOp(Cursor& in, const OpHeader& header, std::vector<ValueId>& returned);
  absl::Status ReadRegions(Cursor& in, const OpHeader& header, std::vector<Region>& regions);
  // The one region of an op of inlined_ops.h: what it returns.
  absl::StatusOr<std::vector<ValueId>> ReadInlinedRegion(Cursor& in, const OpHeader& header,
                                                         const ImportedOp& op);
  // Calls `read` with where the op's regions stand, and with their numbering of values.
  template <typename Read>
  absl::Status ReadAtRegions(Cursor& in, const OpHeader& header, Read read);
  // Notes the meshes that the shardings of a manual computation name.
  absl::Status NoteMeshes(const OpHeader& header, absl::string_view op);
  absl::StatusOr<std::vector<ValueId>> OperandsOf(const OpHeader& header) const;
  absl::StatusOr<AttributeDictionary> AttributesOf(const OpHeader& header, const VhloOp& op);
  // Gives the next numbers of the innermost region to values.
  absl::Status Define(const std::vector<ValueId>& ids);

  Reader& reader_;
  Importer importer_;
  FunctionType type_;
  int depth_ = 0;
  // By the file's numbers: those of the open regions, one after the other.
  std::vector<ValueId> values_;
  size_t next_value_ = 0;  // of the innermost open region
};

}  // namespace acceld::ir::bytecode
