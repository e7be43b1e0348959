// What a kernel may touch: the simulated device's memory, symbols, shared memory, and memory that
// a caller lends. Every piece is a region; an address in no region is out of bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "race.h"
#include "thread.h"

namespace cudasim {

enum class Space : uint8_t { Global, Shared, Constant };

const char* name_of(Space space);

struct Region {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  Space space = Space::Global;
  const char* what = "";  // "allocation", "__device__ variable", …
  std::string name;
  Pc made_at = nullptr;
  Pc freed_at = nullptr;
  bool live = true;
  bool of_device = false;  // the host must not touch it
  bool lent = false;
  // One bit a byte; empty where all bytes count as initialised.
  std::vector<uint8_t> written;
  RaceMap races;
  uint32_t block_seen = 0;   // shared only: the block whose contents it holds, counted from 1
  uint32_t launch_seen = 0;

  size_t size() const { return end - begin; }
  bool holds(uintptr_t address, size_t bytes) const {
    return address >= begin && address + bytes <= end;
  }
  void forget_contents() { written.assign((size() + 7) / 8, 0); }
  void set_written(uintptr_t address, size_t bytes);
  // Looks at the first byte only: within a struct there may be padding, which nobody writes.
  bool is_written(uintptr_t address) const;
};

class Memory {
 public:
  // Device memory. Null when it is used up. Freed addresses are never given out again, so that a
  // use after free is always seen.
  void* allocate(size_t bytes, Pc at);
  // Page-locked or managed memory, which the host may touch as well.
  void* allocate_for_both(size_t bytes, Pc at, const char* what);
  bool release(void* address, Pc at);

  Region& add(void* begin, size_t bytes, Space space, const char* what, std::string name);
  void remove(void* begin);
  // The live region that holds `address`, or null.
  Region* find(uintptr_t address);
  // The region that ends before or begins after `address` most closely, freed ones included.
  const Region* nearest(uintptr_t address) const;
  Region* at(const void* begin);

  bool is_device(uintptr_t address) const { return address >= arena_ && address < arena_end_; }
  // Device memory is out of reach for the host except while a kernel or a copy runs.
  void open();
  void shut();
  size_t used() const { return used_; }

 private:
  bool reserve();
  size_t place_of(uintptr_t address) const;

  uintptr_t arena_ = 0;
  uintptr_t arena_end_ = 0;
  uintptr_t next_ = 0;
  size_t used_ = 0;
  int opened_ = 0;
  std::vector<std::unique_ptr<Region>> regions_;  // by address
  Region* last_ = nullptr;
};

Memory& memory();

// "byte 12 of shared variable `tile`", as a message names a place.
std::string describe(const Region& region, uintptr_t address);

// True in what the program cannot write: constants, string literals, tables.
bool is_read_only_data(uintptr_t address);

}  // namespace cudasim
