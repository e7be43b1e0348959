#include "memory.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "findings.h"

namespace cudasim {
namespace {

constexpr size_t kArenaBytes = size_t{64} << 30;  // of addresses; memory is taken when touched
constexpr size_t kDeviceBytes = size_t{16} << 30;
constexpr size_t kAlignment = 512;
constexpr size_t kGap = 4096;  // between allocations, so that overruns land in nothing

size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

struct Constants {
  std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
};

int collect_constants(dl_phdr_info* info, size_t, void* out) {
  auto& ranges = static_cast<Constants*>(out)->ranges;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const bool constant = header.p_type == PT_LOAD && !(header.p_flags & PF_W);
    if (!constant && header.p_type != PT_GNU_RELRO) continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    ranges.emplace_back(begin, begin + header.p_memsz);
  }
  return 0;
}

}  // namespace

const char* name_of(Space space) {
  switch (space) {
    case Space::Global: return "global";
    case Space::Shared: return "shared";
    case Space::Constant: return "constant";
  }
  return "";
}

bool is_read_only_data(uintptr_t address) {
  static const auto* constants = [] {
    auto* found = new Constants;
    dl_iterate_phdr(collect_constants, found);
    return found;
  }();
  for (const auto& [begin, end] : constants->ranges) {
    if (address >= begin && address < end) return true;
  }
  return false;
}

void Region::set_written(uintptr_t address, size_t bytes) {
  if (written.empty()) return;
  for (size_t i = address - begin; i < address - begin + bytes; ++i) {
    written[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
}

bool Region::is_written(uintptr_t address) const {
  const size_t i = address - begin;
  return written.empty() || (written[i / 8] & (1u << (i % 8)));
}

bool Memory::reserve() {
  if (arena_) return true;
  void* base = mmap(nullptr, kArenaBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return false;
  arena_ = next_ = reinterpret_cast<uintptr_t>(base);
  arena_end_ = arena_ + kArenaBytes;
  return true;
}

void* Memory::allocate(size_t bytes, Pc at) {
  if (!reserve()) return nullptr;
  const size_t room = rounded(bytes + kGap, kGap);
  if (used_ + bytes > kDeviceBytes || next_ + room > arena_end_) return nullptr;
  const uintptr_t begin = rounded(next_, kAlignment);
  next_ = begin + room;
  used_ += bytes;
  Region& region = add(reinterpret_cast<void*>(begin), bytes, Space::Global, "allocation", "");
  region.made_at = at;
  region.forget_contents();
  return reinterpret_cast<void*>(begin);
}

void* Memory::allocate_for_both(size_t bytes, Pc at, const char* what) {
  void* begin = nullptr;
  if (posix_memalign(&begin, kAlignment, rounded(bytes, kAlignment) + kGap)) return nullptr;
  add(begin, bytes, Space::Global, what, "").made_at = at;
  return begin;
}

bool Memory::release(void* address, Pc at) {
  Region* region = this->at(address);
  if (!region || !region->live) return false;
  region->live = false;
  region->freed_at = at;
  region->written.clear();
  region->races.clear();
  last_ = nullptr;
  if (is_device(region->begin)) {
    used_ -= region->size();
    // The memory goes back to the system, the addresses stay used.
    madvise(address, rounded(region->size(), kGap), MADV_DONTNEED);
  }
  return true;
}

Region& Memory::add(void* begin, size_t bytes, Space space, const char* what, std::string name) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  remove(begin);
  auto region = std::make_unique<Region>();
  region->begin = address;
  region->end = address + bytes;
  region->space = space;
  region->what = what;
  region->name = std::move(name);
  const size_t place = place_of(address);
  return **regions_.insert(regions_.begin() + place, std::move(region));
}

void Memory::remove(void* begin) {
  const size_t place = place_of(reinterpret_cast<uintptr_t>(begin));
  if (place == regions_.size()) return;
  if (regions_[place]->begin != reinterpret_cast<uintptr_t>(begin)) return;
  last_ = nullptr;
  regions_.erase(regions_.begin() + place);
}

size_t Memory::place_of(uintptr_t address) const {
  const auto found =
      std::lower_bound(regions_.begin(), regions_.end(), address,
                       [](const auto& region, uintptr_t value) { return region->begin < value; });
  return found - regions_.begin();
}

Region* Memory::at(const void* begin) {
  const size_t place = place_of(reinterpret_cast<uintptr_t>(begin));
  if (place == regions_.size()) return nullptr;
  Region* region = regions_[place].get();
  return region->begin == reinterpret_cast<uintptr_t>(begin) ? region : nullptr;
}

Region* Memory::find(uintptr_t address) {
  if (last_ && address >= last_->begin && address < last_->end) return last_;
  const size_t place = place_of(address + 1);
  if (place == 0) return nullptr;
  Region* region = regions_[place - 1].get();
  if (!region->live || address >= region->end) return nullptr;
  return last_ = region;
}

const Region* Memory::nearest(uintptr_t address) const {
  const size_t place = place_of(address + 1);
  const Region* before = place ? regions_[place - 1].get() : nullptr;
  const Region* behind = place < regions_.size() ? regions_[place].get() : nullptr;
  if (!before) return behind;
  if (!behind || address < before->end) return before;
  return address - before->end <= behind->begin - address ? before : behind;
}

void Memory::open() {
  if (opened_++ == 0 && arena_ && next_ > arena_) {
    mprotect(reinterpret_cast<void*>(arena_), rounded(next_ - arena_, kGap),
             PROT_READ | PROT_WRITE);
  }
}

void Memory::shut() {
  if (--opened_ == 0 && arena_ && next_ > arena_) {
    mprotect(reinterpret_cast<void*>(arena_), rounded(next_ - arena_, kGap), PROT_NONE);
  }
}

std::string describe(const Region& region, uintptr_t address) {
  const std::string name = region.name.empty() ? "" : " `" + region.name + "`";
  return format("byte %zu of %s%s", static_cast<size_t>(address - region.begin), region.what,
                name.c_str());
}

Memory& memory() {
  static Memory* all = new Memory;
  return *all;
}

}  // namespace cudasim
