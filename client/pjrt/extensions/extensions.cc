#include "client/pjrt/extensions/extensions.h"

#include "client/pjrt/extensions/acceld.h"
#include "client/pjrt/extensions/layouts.h"

namespace acceld::pjrt {

PJRT_Extension_Base* Extensions() { return LayoutsExtension(AcceldExtension(nullptr)); }

}  // namespace acceld::pjrt
