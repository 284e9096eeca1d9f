#include "server/runtime/resident_arrays.h"

#include "server/runtime/array.h"

namespace acceld::runtime {

void ResidentArrays::Add(Array& array) {
  MutexLock lock(mutex_);
  array.position_ = arrays_.insert(arrays_.end(), &array);
}

void ResidentArrays::Remove(Array& array) {
  MutexLock lock(mutex_);
  if (!array.position_.has_value()) return;
  arrays_.erase(*array.position_);
  array.position_.reset();
}

void ResidentArrays::Touch(const Array& array) {
  MutexLock lock(mutex_);
  if (array.position_.has_value()) arrays_.splice(arrays_.end(), arrays_, *array.position_);
}

std::vector<std::shared_ptr<Array>> ResidentArrays::Find(Victims victims, int64_t size_bytes,
                                                         int64_t room_bytes) {
  std::vector<std::shared_ptr<Array>> found;
  int64_t found_bytes = 0;
  // False when there is enough.
  auto look = [&](Array& array) {
    if (!array.MaySpill(victims)) return true;
    const int64_t bytes = array.type()->size_bytes();
    if (bytes > room_bytes - found_bytes) return true;
    // Others may have arrays that can go when this one's owner has no room on the host.
    const std::shared_ptr<Meter>& owner = array.account().host_meter();
    if (owner != nullptr && bytes > owner->limit() - owner->used()) return true;
    // None when the array is being destroyed: its memory comes back without us.
    std::shared_ptr<Array> shared = array.weak_from_this().lock();
    if (shared == nullptr) return true;
    found.push_back(std::move(shared));
    found_bytes += bytes;
    return found_bytes < size_bytes;
  };
  MutexLock lock(mutex_);
  if (victims == Victims::kIdle) {
    for (auto it = arrays_.begin(); it != arrays_.end() && look(**it); ++it) {
    }
  } else {
    for (auto it = arrays_.rbegin(); it != arrays_.rend() && look(**it); ++it) {
    }
  }
  return found;
}

int64_t ResidentArrays::idle_bytes() const {
  int64_t bytes = 0;
  MutexLock lock(mutex_);
  for (const Array* array : arrays_) {
    if (array->MaySpill(Victims::kIdle)) bytes += array->type()->size_bytes();
  }
  return bytes;
}

}  // namespace acceld::runtime
