#include "client/pjrt/extensions/extensions.h"

#include "client/pjrt/extensions/acceld.h"
#include "client/pjrt/extensions/layouts.h"
#include "client/pjrt/extensions/profiler.h"
#include "client/pjrt/extensions/shardings.h"

namespace acceld::pjrt {

PJRT_Extension_Base* Extensions() {
  return LayoutsExtension(ShardingsExtension(ProfilerExtension(AcceldExtension(nullptr))));
}

}  // namespace acceld::pjrt
