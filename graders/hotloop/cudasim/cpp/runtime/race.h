// Races: two accesses to the same bytes by different threads, at least one of them a write, that
// nothing orders.
//
// What orders accesses, and nothing else does: __syncthreads within a block, __syncwarp and a
// tile's sync within their lanes (shuffles and votes do not: CUDA promises no memory order for
// them), a fence before an atomic on one side and that atomic's location on the other, and the end
// of a kernel. Whether a race shows in the result does not matter, nor does the schedule.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cudasim/abi.h"
#include "thread.h"

namespace cudasim {

// Some lanes of a warp that accessed (a part of) a 4-byte word at the same epoch.
struct Record {
  uint32_t launch = 0;
  uint32_t block = 0;
  uint32_t barriers = 0;
  uint32_t epoch = 0;
  uint32_t lanes = 0;
  uint32_t site = 0;
  uint16_t warp = 0;
  uint8_t bytes = 0;  // one bit a byte of the word
  uint8_t kind = 0;   // cudasim_access
};

// The accesses to one word that may still conflict with later ones.
class Cell {
 public:
  template <class F>
  void each(F&& visit) {
    for (unsigned i = 0; i < count_; ++i) visit(at(i));
  }
  template <class F>
  void drop_if(F&& drop) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count_; ++i) {
      if (!drop(at(i))) at(kept++) = at(i);
    }
    count_ = kept;
  }
  void add(const Record& record) {
    if (count_ >= kInline && more_.size() <= count_ - kInline) more_.emplace_back();
    ++count_;
    at(count_ - 1) = record;
  }
  unsigned size() const { return count_; }

 private:
  static constexpr unsigned kInline = 2;

  Record& at(unsigned i) { return i < kInline ? first_[i] : more_[i - kInline]; }

  Record first_[kInline];
  std::vector<Record> more_;
  unsigned count_ = 0;
};

// A region's cells, made when they are first touched.
class RaceMap {
 public:
  Cell& cell(size_t word);
  void clear() { pages_.clear(); }

 private:
  static constexpr size_t kWords = 256;
  struct Page {
    Cell cells[kWords];
  };
  std::vector<std::unique_ptr<Page>> pages_;
};

struct Region;

class RaceDetector {
 public:
  // Looks at an access of the running thread and remembers it.
  void access(Region& region, uintptr_t address, size_t bytes, cudasim_access kind, uint32_t site,
              const Thread& thread);
  // What an atomic at `address` passes on from thread to thread.
  void synchronise_through(uintptr_t address, Thread& thread);
  // Two writes are no race where the second writes what is there already. Called when the running
  // thread's last write must have happened.
  void settle();
  void begin_launch();

 private:
  // A write behind another one: what was there before it.
  struct Doubtful {
    uintptr_t address = 0;
    size_t bytes = 0;
    unsigned char before[16] = {};
    Record first, second;
  };

  void look(Cell& cell, const Record& record, uintptr_t address, Region& region,
            const Thread& thread);
  bool ordered(const Record& record, uint32_t lanes, const Thread& thread) const;
  void report(const Record& first, const Record& second, uintptr_t address,
              const Region& region);

  uint32_t launch_ = 0;
  Doubtful doubtful_;
  std::unordered_set<uint64_t> reported_;  // pairs of sites, of this launch
  // What fences have released through atomics at an address, each once.
  struct Location {
    std::vector<Release> releases;
    std::unordered_set<uint64_t> numbers;
    void add(const Release& release) {
      if (numbers.insert(release.number).second) releases.push_back(release);
    }
  };
  std::unordered_map<uintptr_t, std::unique_ptr<Location>> locations_;
};

RaceDetector& races();

// True while a write waits to be settled: asked before each call of `settle`, which is seldom due.
extern bool in_doubt;

}  // namespace cudasim
