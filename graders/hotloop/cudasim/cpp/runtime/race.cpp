#include "race.h"

#include <algorithm>
#include <cstring>

#include "findings.h"
#include "memory.h"
#include "scheduler.h"
#include "traffic.h"

namespace cudasim {

bool in_doubt = false;

namespace {

constexpr size_t kWord = 4;
constexpr unsigned kDepth = 4;  // of atomics that pass on what other atomics passed on

bool conflict(const Record& a, const Record& b) {
  if (!(a.bytes & b.bytes)) return false;
  if (a.kind == CUDASIM_READ && b.kind == CUDASIM_READ) return false;
  return !(a.kind == CUDASIM_ATOMIC && b.kind == CUDASIM_ATOMIC);
}

bool same_warp(const Record& a, const Record& b) { return a.block == b.block && a.warp == b.warp; }

// Lanes of `record` that are not the thread of `by` itself.
uint32_t other_lanes(const Record& record, const Record& by) {
  return same_warp(record, by) ? record.lanes & ~by.lanes : record.lanes;
}

bool knows_lanes(const uint32_t* known, const Record& record, uint32_t lanes) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes & (1u << lane)) && known[lane] < record.epoch) return false;
  }
  return true;
}

bool covers(const Moment& moment, const Record& record, uint32_t lanes) {
  if (moment.block != record.block) return false;
  if (record.barriers < moment.barriers) return true;
  return moment.warp == record.warp && knows_lanes(moment.known, record, lanes);
}

bool covers(const std::vector<Acquired>& acquired, const Record& record, uint32_t lanes,
            const void* parent, unsigned depth) {
  if (depth == 0) return false;
  for (const Acquired& from : acquired) {
    // Whoever acquires from a location has acquired all that was released there before.
    if (from.releases == parent) continue;
    for (size_t i = 0; i < from.count; ++i) {
      const Release& release = (*from.releases)[i];
      if (covers(release.moment, record, lanes)) return true;
      if (covers(release.acquired, record, lanes, from.releases, depth - 1)) return true;
    }
  }
  return false;
}

const char* verb(uint8_t kind) {
  switch (kind) {
    case CUDASIM_READ: return "reads";
    case CUDASIM_WRITE: return "writes";
    default: return "updates atomically";
  }
}

const char* remedy(const Record& first, const Record& second) {
  if (first.block != second.block) {
    return "blocks run in no order: only atomics and kernel boundaries help";
  }
  const bool atomic = first.kind == CUDASIM_ATOMIC || second.kind == CUDASIM_ATOMIC;
  if (atomic) return "one access is atomic and the other is not";
  if (first.warp != second.warp) return "no __syncthreads() lies between them";
  return "lanes of a warp run in no order: no __syncwarp() or __syncthreads() lies between them";
}

Place place_of(const Record& record) {
  const unsigned lane = __builtin_ctz(record.lanes);
  return {block_index(record.block), thread_index(record.warp * kWarpSize + lane)};
}

Witness witness(const Record& record) {
  return {traffic().pc_of(record.site), name_of(static_cast<cudasim_access>(record.kind)), true,
          place_of(record)};
}

// How many warps of the record's block, since its last barrier, and how many other blocks are
// known to have read these bytes.
struct Readers {
  unsigned warps = 0;
  unsigned blocks = 0;
};

Readers readers_of(Cell& cell, const Record& record) {
  Readers found;
  uint32_t a_block = record.block;
  cell.each([&](const Record& known) {
    if (known.kind != CUDASIM_READ || (known.bytes & record.bytes) != record.bytes) return;
    if (known.block != record.block) {
      found.blocks += known.block != a_block;
      a_block = known.block;
    } else if (known.warp != record.warp && known.barriers == record.barriers) {
      ++found.warps;
    }
  });
  return found;
}

}  // namespace

Cell& RaceMap::cell(size_t word) {
  const size_t page = word / kWords;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) pages_[page] = std::make_unique<Page>();
  return pages_[page]->cells[word % kWords];
}

void RaceDetector::access(Region& region, uintptr_t address, size_t bytes, cudasim_access kind,
                          uint32_t site, const Thread& thread) {
  Record record;
  record.launch = launch_;
  record.block = current_block().number;
  record.barriers = thread.barriers;
  record.epoch = thread.epoch;
  record.lanes = thread.bit();
  record.site = site;
  record.warp = thread.warp;
  record.kind = kind;
  const uintptr_t end = address + bytes;
  for (uintptr_t at = address; at < end;) {
    const uintptr_t word = at / kWord * kWord;
    const uintptr_t stop = std::min(end, word + kWord);
    record.bytes = static_cast<uint8_t>(((1u << (stop - at)) - 1) << (at - word));
    const size_t number = word / kWord - region.begin / kWord;
    look(region.races.cell(number), record, at, region, thread);
    at = stop;
  }
  if (in_doubt && doubtful_.bytes == 0) {
    doubtful_.address = address;
    doubtful_.bytes = std::min(bytes, sizeof doubtful_.before);
    std::memcpy(doubtful_.before, reinterpret_cast<void*>(address), doubtful_.bytes);
  }
}

void RaceDetector::look(Cell& cell, const Record& record, uintptr_t address, Region& region,
                        const Thread& thread) {
  bool merged = false;
  const bool of_block = region.space == Space::Shared;  // every block begins with its own
  cell.drop_if([&](Record& known) {
    if (known.launch != launch_ || (of_block && known.block != record.block)) return true;
    const uint32_t others = other_lanes(known, record);
    const bool in_order = !others || ordered(known, others, thread);
    if (!in_order && conflict(known, record)) {
      if (known.kind == CUDASIM_WRITE && record.kind == CUDASIM_WRITE) {
        if (!in_doubt) doubtful_ = {0, 0, {}, known, record};
        in_doubt = true;
      } else {
        report(known, record, address, region);
      }
    }
    // What this access follows and covers cannot conflict with anything that this one does not.
    const bool stronger = record.kind != CUDASIM_READ || known.kind == CUDASIM_READ;
    if (in_order && stronger && (known.bytes & ~record.bytes) == 0) return true;
    if (!merged && same_warp(known, record) && known.kind == record.kind &&
        known.barriers == record.barriers && known.epoch == record.epoch &&
        known.bytes == record.bytes && known.site == record.site) {
      known.lanes |= record.lanes;
      merged = true;
    }
    return false;
  });
  if (merged) return;
  if (record.kind == CUDASIM_READ) {
    const Readers readers = readers_of(cell, record);
    if (readers.warps >= 2 || readers.blocks >= 2) return;
  }
  cell.add(record);
}

bool RaceDetector::ordered(const Record& record, uint32_t lanes, const Thread& thread) const {
  if (record.block == current_block().number) {
    if (record.barriers < thread.barriers) return true;
    if (record.warp == thread.warp && knows_lanes(thread.known, record, lanes)) return true;
  }
  return covers(thread.acquired, record, lanes, nullptr, kDepth);
}

void RaceDetector::settle() {
  in_doubt = false;
  const auto* now = reinterpret_cast<const void*>(doubtful_.address);
  if (std::memcmp(now, doubtful_.before, doubtful_.bytes) == 0) return;
  Region* region = memory().find(doubtful_.address);
  if (region) report(doubtful_.first, doubtful_.second, doubtful_.address, *region);
}

void RaceDetector::synchronise_through(uintptr_t address, Thread& thread) {
  auto& location = locations_[address];
  if (!location) location = std::make_unique<Location>();
  if (thread.fenced) location->add(thread.fence);
  if (thread.passed) {
    for (const Release& release : *thread.passed) location->add(release);
  }
  const std::vector<Release>& releases = location->releases;
  if (releases.empty()) return;
  for (Acquired& known : thread.acquired) {
    if (known.releases != &releases) continue;
    known.count = releases.size();
    return;
  }
  thread.acquired.push_back({&releases, releases.size()});
}

void RaceDetector::begin_launch() {
  ++launch_;
  locations_.clear();
  reported_.clear();
  in_doubt = false;
}

void RaceDetector::report(const Record& first, const Record& second, uintptr_t address,
                          const Region& region) {
  const uint64_t pair = uint64_t{first.site} << 32 | second.site;
  if (!reported_.insert(pair).second) return;
  Record others = first;
  others.lanes = other_lanes(first, second);
  Finding finding;
  finding.kind = "race";
  finding.text = format("One thread %s and another %s the same bytes of %s, and %s.",
                        verb(first.kind), verb(second.kind), describe(region, address).c_str(),
                        remedy(first, second));
  finding.kernel = current_kernel();
  finding.witnesses = {witness(others), witness(second)};
  findings().add(std::move(finding));
}

RaceDetector& races() {
  static RaceDetector* all = new RaceDetector;
  return *all;
}

}  // namespace cudasim
