#include "client/pjrt/profile/xplane.h"

#include <algorithm>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace acceld::pjrt {
namespace {

using client::TraceSpan;

constexpr int64_t kPsPerNs = 1000;

// The lines of a device's plane, in the order in which viewers show them.
enum Line : int64_t { kRun = 1, kExpressRun, kQueue, kUpload, kFetch, kCollectives };

const char* NameOf(Line line) {
  switch (line) {
    case kRun:
      return "run";
    case kExpressRun:
      return "run (express)";
    case kQueue:
      return "queue";
    case kUpload:
      return "upload";
    case kFetch:
      return "fetch";
    case kCollectives:
      return "collectives";
  }
  return "";
}

// Adds events to one plane.
class PlaneWriter {
 public:
  PlaneWriter(XPlane& plane, int64_t begin_ns, int64_t unix_offset_ns)
      : plane_(plane), begin_ns_(begin_ns), unix_offset_ns_(unix_offset_ns) {}

  XEvent& Add(int64_t line, const std::string& line_name, const std::string& name, int64_t begin_ns,
              int64_t end_ns) {
    XLine*& to = lines_[line];
    if (to == nullptr) {
      to = plane_.add_lines();
      to->set_id(line);
      to->set_display_id(line);
      to->set_name(line_name);
      to->set_timestamp_ns(begin_ns_ + unix_offset_ns_);
    }
    XEvent& event = *to->add_events();
    event.set_metadata_id(EventId(name));
    event.set_offset_ps((begin_ns - begin_ns_) * kPsPerNs);
    event.set_duration_ps(std::max<int64_t>(end_ns - begin_ns, 0) * kPsPerNs);
    return event;
  }

  void AddStat(XEvent& event, const std::string& name, double value) {
    Stat(event, name).set_double_value(value);
  }
  void AddStat(XEvent& event, const std::string& name, const std::string& value) {
    Stat(event, name).set_str_value(value);
  }

 private:
  int64_t EventId(const std::string& name) {
    int64_t& id = event_ids_[name];
    if (id == 0) {
      id = static_cast<int64_t>(event_ids_.size());
      XEventMetadata& metadata = (*plane_.mutable_event_metadata())[id];
      metadata.set_id(id);
      metadata.set_name(name);
    }
    return id;
  }
  XStat& Stat(XEvent& event, const std::string& name) {
    int64_t& id = stat_ids_[name];
    if (id == 0) {
      id = static_cast<int64_t>(stat_ids_.size());
      XStatMetadata& metadata = (*plane_.mutable_stat_metadata())[id];
      metadata.set_id(id);
      metadata.set_name(name);
    }
    XStat& stat = *event.add_stats();
    stat.set_metadata_id(id);
    return stat;
  }

  XPlane& plane_;
  const int64_t begin_ns_, unix_offset_ns_;
  std::map<int64_t, XLine*> lines_;  // Owned by the plane.
  std::map<std::string, int64_t> event_ids_, stat_ids_;
};

class SpaceWriter {
 public:
  SpaceWriter(XSpace& space, const std::map<uint32_t, std::string>& device_names, int64_t begin_ns,
              int64_t unix_offset_ns)
      : space_(space),
        device_names_(device_names),
        begin_ns_(begin_ns),
        unix_offset_ns_(unix_offset_ns) {}

  void Add(const TraceSpan& span) {
    switch (span.kind) {
      case SpanKind::kUnknown:
        return;
      case SpanKind::kExecution:
        return AddExecution(span);
      case SpanKind::kUpload:
        return AddOnDevice(span, kUpload);
      case SpanKind::kDownload:
        return AddOnDevice(span, kFetch);
      case SpanKind::kCollective:
        return AddCollective(span);
      case SpanKind::kCompile:
      case SpanKind::kCompileStep: {
        PlaneWriter& plane = Plane("compiler");
        AddError(plane, span,
                 plane.Add(span.track, absl::StrCat("compile thread ", span.track), span.name,
                           span.begin_ns, span.end_ns));
        return;
      }
    }
  }

 private:
  PlaneWriter& Plane(const std::string& name) {
    const auto found = planes_.find(name);
    if (found != planes_.end()) return found->second;
    XPlane& plane = *space_.add_planes();
    plane.set_id(space_.planes_size());
    plane.set_name(absl::StrCat("/device:CUSTOM:acceld ", name));
    return planes_.emplace(name, PlaneWriter(plane, begin_ns_, unix_offset_ns_)).first->second;
  }
  PlaneWriter& DevicePlane(uint32_t device) {
    const auto name = device_names_.find(device);
    return Plane(name == device_names_.end() ? absl::StrCat("device ", device) : name->second);
  }

  static void AddError(PlaneWriter& plane, const TraceSpan& span, XEvent& event) {
    if (span.code == 0) return;
    plane.AddStat(event, "status",
                  absl::StatusCodeToString(static_cast<absl::StatusCode>(span.code)));
  }

  static void AddGang(PlaneWriter& plane, const TraceSpan& span, XEvent& event) {
    if (span.gang == 0) return;
    plane.AddStat(event, "gang", static_cast<double>(span.gang));
    plane.AddStat(event, "participant", static_cast<double>(span.participant));
  }

  void AddOnDevice(const TraceSpan& span, Line line) {
    PlaneWriter& plane = DevicePlane(span.track);
    AddError(plane, span, plane.Add(line, NameOf(line), span.name, span.begin_ns, span.end_ns));
  }

  void AddCollective(const TraceSpan& span) {
    PlaneWriter& plane = DevicePlane(span.track);
    XEvent& event =
        plane.Add(kCollectives, NameOf(kCollectives), span.name, span.begin_ns, span.end_ns);
    plane.AddStat(event, "bytes", static_cast<double>(span.bytes));
    plane.AddStat(event, "wait_us", static_cast<double>(span.wait_ns) / 1000);
    AddGang(plane, span, event);
    AddError(plane, span, event);
  }

  void AddExecution(const TraceSpan& span) {
    PlaneWriter& plane = DevicePlane(span.track);
    const Line line = span.express ? kExpressRun : kRun;
    XEvent& run = plane.Add(line, NameOf(line), span.name, span.begin_ns, span.end_ns);
    plane.AddStat(
        run, "queued_us",
        static_cast<double>(std::max<int64_t>(span.begin_ns - span.submitted_ns, 0)) / 1000);
    AddGang(plane, span, run);
    AddError(plane, span, run);
    int64_t& last_begin_ns = last_begin_ns_.emplace(span.track, INT64_MIN).first->second;
    const int64_t queued_since_ns = std::max(span.submitted_ns, last_begin_ns);
    if (queued_since_ns < span.begin_ns) {
      plane.Add(kQueue, NameOf(kQueue), span.name, queued_since_ns, span.begin_ns);
    }
    last_begin_ns = std::max(last_begin_ns, span.begin_ns);
  }

  XSpace& space_;
  const std::map<uint32_t, std::string>& device_names_;
  const int64_t begin_ns_, unix_offset_ns_;
  std::map<std::string, PlaneWriter> planes_;  // Each writes to a plane of space_.
  std::map<uint32_t, int64_t> last_begin_ns_;  // By device: when the last execution began.
};

}  // namespace

XSpace MissingXSpace(const std::string& why, int64_t unix_ns) {
  XSpace space;
  XPlane& plane = *space.add_planes();
  plane.set_id(1);
  plane.set_name("/device:CUSTOM:acceld");
  PlaneWriter(plane, 0, unix_ns).Add(1, "missing", why, 0, 0);
  return space;
}

XSpace ToXSpace(absl::Span<const TraceSpan> spans,
                const std::map<uint32_t, std::string>& device_names, int64_t unix_offset_ns) {
  XSpace space;
  if (spans.empty()) return space;
  int64_t begin_ns = INT64_MAX;
  for (const TraceSpan& span : spans) {
    begin_ns = std::min(begin_ns, span.begin_ns);
    if (span.kind == SpanKind::kExecution) begin_ns = std::min(begin_ns, span.submitted_ns);
  }
  SpaceWriter writer(space, device_names, begin_ns, unix_offset_ns);
  for (const TraceSpan& span : spans) writer.Add(span);
  return space;
}

}  // namespace acceld::pjrt
