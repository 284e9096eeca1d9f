#include "client/tools/accelctl/views/table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/cli/text.h"
#include "common/utf8.h"

namespace acceld::tools {
namespace {

constexpr size_t kGap = 2;  // Between two columns.

// Returns the width of a table whose columns are so wide; 0 stands for no column.
size_t Total(const std::vector<size_t>& widths) {
  size_t total = 0;
  for (const size_t width : widths) {
    if (width > 0) total += width + (total > 0 ? kGap : 0);
  }
  return total;
}

}  // namespace

std::vector<size_t> Table::Widths(size_t columns) const {
  std::vector<size_t> natural;
  for (size_t i = 0; i < columns_.size(); ++i) {
    natural.push_back(Utf8Length(columns_[i].heading));
    for (const auto& row : rows_) natural[i] = std::max(natural[i], Utf8Length(row[i]));
  }
  size_t present = columns_.size();  // Columns behind these are left out if they may be.
  while (true) {
    std::vector<size_t> widths = natural;
    for (size_t i = present; i < widths.size(); ++i) {
      if (columns_[i].may_be_absent) widths[i] = 0;
    }
    while (Total(widths) > columns) {
      size_t* widest = nullptr;
      for (size_t i = 0; i < widths.size(); ++i) {
        const size_t least = std::max(columns_[i].least_columns, Utf8Length(columns_[i].heading));
        if (columns_[i].least_columns == 0 || widths[i] <= least) continue;
        if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
      }
      if (widest == nullptr) break;
      --*widest;
    }
    if (Total(widths) <= columns || present == 0) return widths;
    do {
      --present;
    } while (present > 0 && !columns_[present].may_be_absent);
  }
}

std::string Table::Line(const std::vector<std::string>& cells,
                        const std::vector<size_t>& widths) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string cell = cli::Cut(cells[i], widths[i]);
    absl::StrAppend(
        &line, line.empty() ? "" : std::string(kGap, ' '),
        columns_[i].is_number ? cli::PadLeft(cell, widths[i]) : cli::PadRight(cell, widths[i]));
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string> Table::Lines(size_t columns) const {
  const std::vector<size_t> widths = Widths(columns);
  std::vector<std::string> headings;
  for (const Column& column : columns_) headings.push_back(column.heading);
  std::vector<std::string> lines = {Line(headings, widths)};
  for (const auto& row : rows_) lines.push_back(Line(row, widths));
  return lines;
}

std::string Table::Text(size_t columns, const std::string& nothing) const {
  if (empty()) return absl::StrCat("no ", nothing, "\n");
  return absl::StrJoin(Lines(columns), "\n") + "\n";
}

}  // namespace acceld::tools
