#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace acceld::tools {

// A column of a Table.
struct Column {
  std::string heading;
  bool is_number = false;      // stands at the right edge of its column
  size_t least_columns = 0;    // its cells may be cut to this width; 0: they may not be cut
  bool may_be_absent = false;  // it is left out where the table does not fit otherwise
};

// Rows of text under headings. A table that is wider than it may be is made narrower: first the
// widest of the cells that may be cut are cut, then columns are left out, the last one first. Not
// thread-safe.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Adds a row with a cell for each column. Cells contain only what may be printed.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  // Returns the headings and then the rows, a line each without its end, of at most `columns`
  // characters if the cells that may not be cut allow that.
  std::vector<std::string> Lines(size_t columns) const;
  // Returns the lines with their ends. For a table without rows, "no " and `nothing` instead:
  // "no sessions".
  std::string Text(size_t columns, const std::string& nothing) const;

 private:
  // Returns the width of each column in a table of that width; 0 for those that are left out.
  std::vector<size_t> Widths(size_t columns) const;
  std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;

  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace acceld::tools
