#pragma once

#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace acceld::testing {

// Replaces what differs from run to run and from machine to machine by placeholders, which
// docs/transcripts/README.md lists. Not thread-safe.
class Placeholders {
 public:
  // Replaces `value`, wherever it stands as a whole word or cut ("val..."), by `name`, such as
  // "<host>".
  void AddValue(const std::string& name, const std::string& value);

  // Returns the line with placeholders, and remembers what each stands for. Spaces beside them are
  // taken or given so that columns stay where they are, if there are enough.
  std::string Replace(const std::string& line);

  // Replaces the placeholders in a command by what they stood for last.
  std::string Fill(const std::string& command) const;

  // Whether two lines with placeholders are equal but for the width of the gaps between columns.
  static bool AreAlike(absl::string_view a, absl::string_view b);

 private:
  std::string ReplaceMatches(const std::string& name, const std::regex& pattern,
                             const std::string& line);

  std::vector<std::pair<std::string, std::regex>> values_;
  std::map<std::string, std::string> last_;  // by name
};

}  // namespace acceld::testing
