#include "client/tools/accelctl/trace.h"

#include <fstream>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tools/accelctl/views/chrome_trace.h"

namespace acceld::tools {

absl::Status WriteTrace(client::Admin& admin, const TraceFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<client::TraceSpan> spans,
                          admin.GetTrace(flags.seconds));
  const std::string json = ChromeTrace(spans);
  if (flags.out == "-") {
    std::cout << json << std::endl;
    return absl::OkStatus();
  }
  std::ofstream file(flags.out, std::ios::binary);
  file << json << "\n";
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", flags.out));
  std::cout << spans.size() << " spans written to " << flags.out
            << "; open it in ui.perfetto.dev or chrome://tracing\n";
  return absl::OkStatus();
}

}  // namespace acceld::tools
