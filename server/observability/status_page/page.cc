#include "server/observability/status_page/page.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/sha256.h"
#include "server/observability/status_page/assets.h"
#include "server/observability/status_page/html.h"
#include "server/observability/status_page/sections.h"
#include "server/observability/status_page/units.h"

namespace acceld::observability {
namespace {

std::string PolicyHash(absl::string_view text) {
  const Sha256 hash = Sha256Of(text);
  return absl::StrCat("'sha256-",
                      absl::Base64Escape(absl::string_view(
                          reinterpret_cast<const char*>(hash.data()), hash.size())),
                      "'");
}

bool AllHealthy(const DaemonStatus& status) {
  return std::all_of(status.devices.begin(), status.devices.end(),
                     [](const DeviceInfo& device) { return device.error.empty(); });
}

// Returns the state in one or two words, which also begin the title, so that a browser tab shows
// them.
absl::string_view StateText(const DaemonStatus& status) {
  if (!status.accepting) return "Draining";
  return AllHealthy(status) ? "Serving" : "Device lost";
}

void WriteHead(const DaemonStatus& status, Html& html) {
  html << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"robots\" content=\"noindex\">\n"
          "<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>\n"
          "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' "
          "viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%232b7a9b'/%3E"
          "%3Cpath d='M3 9h2l2-5 2 8 2-3h2' fill='none' stroke='white' stroke-width='1.5'/%3E"
          "%3C/svg%3E\">\n<title>"
       << StateText(status) << " - acceld</title>\n<style>" << kStyle << "</style>\n</head>\n";
}

void WriteHeader(const DaemonStatus& status, Html& html) {
  html << "<header>\n<h1>acceld</h1>\n<span class=\"muted\">" << status.version << "</span>\n";
  if (!status.accepting) {
    html << "<span class=\"pill warn\">";
  } else if (AllHealthy(status)) {
    html << "<span class=\"pill good\">";
  } else {
    html << "<span class=\"pill bad\">";
  }
  html << StateText(status) << "</span>\n<span class=\"muted small push\">as of <time datetime=\""
       << TimeText(status.time) << "\">" << ReadableTime(status.time) << "</time></span>\n";
  html << "</header>\n";
  if (!status.accepting) {
    html << "<p class=\"error warn\">It takes no new sessions and runs; those that are open go on."
            "</p>\n";
  }
}

}  // namespace

std::string RenderPage(const DaemonStatus& status) {
  Html html;
  WriteHead(status, html);
  html << "<body>\n<p id=\"stale\" class=\"bad\" role=\"alert\" hidden>The daemon does not answer: "
          "what is below has been so.</p>\n<main>\n";
  WriteHeader(status, html);
  WriteSummary(status, html);
  WriteDevices(status, html);
  WriteQueues(status, html);
  WriteSessions(status, html);
  WriteCache(status, html);
  WriteTrouble(status, html);
  html << "</main>\n<footer>\n<span id=\"live\" hidden>Renewed every 5 s. "
          "<button type=\"button\" id=\"pause\">Pause</button></span>\n"
          "<a href=\"/status.json\">JSON</a>\n<a href=\"/metrics\">Metrics</a>\n</footer>\n<script>"
       << kScript << "</script>\n</body>\n</html>\n";
  return std::move(html).Take();
}

const std::string& PagePolicy() {
  static const std::string& policy = *new std::string(absl::StrCat(
      "default-src 'none'; style-src ", PolicyHash(kStyle), "; script-src ", PolicyHash(kScript),
      "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'"));
  return policy;
}

}  // namespace acceld::observability
