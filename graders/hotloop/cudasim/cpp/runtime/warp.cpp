#include "warp.h"

#include <algorithm>

#include "findings.h"
#include "scheduler.h"

namespace cudasim {
namespace {

// What a lane gets that reads from one that does not take part: CUDA leaves it undefined.
constexpr uint64_t kUndefined = 0x7fbadbad7fbadbadull;

const char* name_of(cudasim_warp_op op) {
  switch (op) {
    case CUDASIM_SYNC: return "__syncwarp";
    case CUDASIM_SHUFFLE: return "a shuffle";
    case CUDASIM_BALLOT: return "a vote";
    case CUDASIM_MATCH_ANY:
    case CUDASIM_MATCH_ALL: return "a match";
    case CUDASIM_ACTIVE: return "__activemask";
    default: return "a warp reduction";
  }
}

uint64_t reduce(cudasim_warp_op op, uint64_t a, uint64_t b) {
  const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
  const auto sa = static_cast<int32_t>(ua), sb = static_cast<int32_t>(ub);
  switch (op) {
    case CUDASIM_ADD_U32: return static_cast<uint32_t>(ua + ub);
    case CUDASIM_MIN_U32: return std::min(ua, ub);
    case CUDASIM_MAX_U32: return std::max(ua, ub);
    case CUDASIM_MIN_S32: return static_cast<uint32_t>(std::min(sa, sb));
    case CUDASIM_MAX_S32: return static_cast<uint32_t>(std::max(sa, sb));
    case CUDASIM_BIT_AND: return ua & ub;
    case CUDASIM_BIT_OR: return ua | ub;
    default: return ua ^ ub;
  }
}

struct Group {
  Thread* lanes;
  unsigned count;
  unsigned members;

  template <class F>
  void each(F&& visit) const {
    for (unsigned lane = 0; lane < count; ++lane) {
      if (members & (1u << lane)) visit(lanes[lane]);
    }
  }
};

unsigned ballot(const Group& group) {
  unsigned bits = 0;
  group.each([&](const Thread& t) { bits |= t.value ? t.bit() : 0; });
  return bits;
}

unsigned matching(const Group& group, uint64_t value) {
  unsigned bits = 0;
  group.each([&](const Thread& t) { bits |= t.value == value ? t.bit() : 0; });
  return bits;
}

uint64_t reduced(const Group& group, cudasim_warp_op op) {
  bool first = true;
  uint64_t total = 0;
  group.each([&](const Thread& t) {
    total = first ? static_cast<uint32_t>(t.value) : reduce(op, total, t.value);
    first = false;
  });
  return total;
}

uint64_t shuffled(const Group& group, unsigned source) {
  if (source >= group.count || !(group.members & (1u << source))) return kUndefined;
  return group.lanes[source].value;
}

uint64_t result_of(const Group& group, const Thread& thread) {
  switch (thread.op) {
    case CUDASIM_SYNC: return 0;
    case CUDASIM_SHUFFLE: return shuffled(group, thread.source_lane);
    case CUDASIM_BALLOT: return ballot(group);
    case CUDASIM_MATCH_ANY: return matching(group, thread.value);
    case CUDASIM_MATCH_ALL: return matching(group, thread.value) == group.members;
    case CUDASIM_ACTIVE: return group.members;
    default: return reduced(group, thread.op);
  }
}

// Adds a thread's fence to those of its warp, which together have a number of their own.
void add_fence(Release& of_warp, const Thread& thread) {
  constexpr uint64_t kOfWarp = uint64_t{1} << 63;
  if (!of_warp.number) of_warp = thread.fence;
  of_warp.number = std::max(of_warp.number, thread.fence.number | kOfWarp);
  for (unsigned i = 0; i < kWarpSize; ++i) {
    of_warp.moment.known[i] = std::max(of_warp.moment.known[i], thread.fence.moment.known[i]);
  }
  join(of_warp.acquired, thread.fence.acquired);
}

// After a __syncwarp its lanes know of each other's accesses before it. Of all warp operations
// only this one orders memory.
void synchronise(const Group& group) {
  uint32_t known[kWarpSize] = {};
  std::vector<Acquired> acquired;
  group.each([&](const Thread& t) {
    for (unsigned i = 0; i < kWarpSize; ++i) known[i] = std::max(known[i], t.known[i]);
    known[t.lane] = std::max(known[t.lane], t.epoch);
    join(acquired, t.acquired);
  });
  group.each([&](Thread& t) {
    std::copy(known, known + kWarpSize, t.known);
    ++t.epoch;
    if (!acquired.empty()) t.acquired = acquired;
  });
  pass_fences(group.lanes, group.count, 1);
}

void finish(const Group& group) {
  uint64_t results[kWarpSize];
  group.each([&](const Thread& t) { results[t.lane] = result_of(group, t); });
  bool sync = false;
  group.each([&](Thread& t) {
    t.result = results[t.lane];
    t.state = State::Ready;
    sync = t.op == CUDASIM_SYNC;
  });
  if (sync) synchronise(group);
}

// The lanes that wait in the same operation with the same mask, or 0 while some are missing.
// Lanes that have finished are not waited for.
unsigned complete_group(Thread* lanes, unsigned count, const Thread& one) {
  unsigned members = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!(one.mask & (1u << lane)) || lane >= count) continue;
    const Thread& thread = lanes[lane];
    if (thread.state == State::Finished) continue;
    const bool same =
        thread.state == State::AtWarp && thread.op == one.op && thread.mask == one.mask;
    if (!same) return 0;
    members |= thread.bit();
  }
  return members;
}

// Lanes may wait in different calls of __syncwarp. Of a shuffle, a vote or a reduction CUDA asks
// that all lanes execute the same one. The line tells, because a compiler may copy a call.
void look_for_different_calls(const Group& group) {
  const Thread* one = nullptr;
  group.each([&](const Thread& t) {
    if (!one) one = &t;
    if (t.op != CUDASIM_SYNC && t.waits_in_line != one->waits_in_line) {
      report_different_calls(*one, t);
    }
  });
}

// Lanes that ask who is active with them are those that wait at the same line when no other lane
// of the warp can run on.
bool complete_active(Thread* lanes, unsigned count) {
  Thread* one = nullptr;
  for (unsigned lane = 0; lane < count; ++lane) {
    if (lanes[lane].state == State::Ready) return false;
    if (!one && lanes[lane].state == State::AtWarp && lanes[lane].op == CUDASIM_ACTIVE) {
      one = &lanes[lane];
    }
  }
  if (!one) return false;
  unsigned members = 0;
  for (unsigned lane = 0; lane < count; ++lane) {
    const Thread& thread = lanes[lane];
    const bool same = thread.state == State::AtWarp && thread.op == CUDASIM_ACTIVE &&
                      thread.waits_in_line == one->waits_in_line;
    if (same) members |= thread.bit();
  }
  finish({lanes, count, members});
  return true;
}

Witness witness(const Thread& thread, const char* did) {
  const Pc at = thread.state == State::Finished ? nullptr : thread.waits_at;
  return {at, did, true, {current_block().index, thread.index}};
}

void add(const char* kind, std::string text, std::vector<Witness> witnesses) {
  Finding finding;
  finding.kind = kind;
  finding.text = std::move(text);
  finding.kernel = current_kernel();
  finding.witnesses = std::move(witnesses);
  findings().add(std::move(finding));
}

}  // namespace

bool complete_warp_operations(Thread* lanes, unsigned count) {
  bool completed = false;
  for (unsigned lane = 0; lane < count; ++lane) {
    const Thread& thread = lanes[lane];
    if (thread.state != State::AtWarp || thread.op == CUDASIM_ACTIVE) continue;
    const unsigned members = complete_group(lanes, count, thread);
    if (!members) continue;
    look_for_different_calls({lanes, count, members});
    finish({lanes, count, members});
    completed = true;
  }
  return completed || complete_active(lanes, count);
}

void pass_fences(Thread* threads, unsigned count, unsigned warps) {
  const auto has_new_fence = [](const Thread& thread) {
    return thread.fenced && thread.fence.moment.barriers == thread.barriers;
  };
  if (std::none_of(threads, threads + count, has_new_fence)) return;
  std::vector<Release> by_warp(warps);
  for (unsigned i = 0; i < count; ++i) {
    if (has_new_fence(threads[i])) add_fence(by_warp[i / kWarpSize], threads[i]);
  }
  by_warp.erase(std::remove_if(by_warp.begin(), by_warp.end(),
                               [](const Release& release) { return !release.number; }),
                by_warp.end());
  const auto passed = std::make_shared<const std::vector<Release>>(std::move(by_warp));
  for (unsigned i = 0; i < count; ++i) {
    if (threads[i].state != State::Finished) threads[i].passed = passed;
  }
}

void join(std::vector<Acquired>& all, const std::vector<Acquired>& some) {
  for (const Acquired& one : some) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Acquired& other) {
      return other.releases == one.releases;
    });
    if (known == all.end()) {
      all.push_back(one);
    } else {
      known->count = std::max(known->count, one.count);
    }
  }
}

void report_bad_mask(const Thread& thread, unsigned mask) {
  add("bad_mask",
      format("Lane %u takes part in an operation whose mask 0x%08x leaves it out.", thread.lane,
             mask),
      {witness(thread, "waits")});
}

void report_divergent_barrier(const Thread& one, const Thread& other) {
  add("divergent_barrier",
      "Threads of one block wait at different __syncthreads(): every thread must reach the same "
      "one.",
      {witness(one, "waits"), witness(other, "waits")});
}

void report_different_calls(const Thread& one, const Thread& other) {
  add("divergent_warp",
      format("Lanes %u and %u meet in %s at different lines: all lanes of the mask must execute the "
             "same one.",
             one.lane, other.lane, name_of(one.op)),
      {witness(one, "waits"), witness(other, "waits")});
}

void report_skipped_barrier(const Thread& waiting, const Thread& finished, unsigned came,
                            unsigned gone) {
  add("divergent_barrier",
      format("%u threads of the block wait at __syncthreads(), and %u have returned without "
             "reaching it.",
             came, gone),
      {witness(waiting, "waits"), witness(finished, "returned")});
}

void report_deadlock(const Block& block) {
  const Thread* at_warp = nullptr;
  const Thread* at_barrier = nullptr;
  for (const Thread& thread : block.threads) {
    if (thread.state == State::AtWarp && !at_warp) at_warp = &thread;
    if (thread.state == State::AtBarrier && !at_barrier) at_barrier = &thread;
  }
  if (!at_warp) return;
  // Somebody in its mask waits elsewhere, or for another mask.
  const unsigned first = at_warp->warp * kWarpSize;
  const Thread* missing = nullptr;
  for (unsigned lane = 0; lane < kWarpSize && first + lane < block.threads.size(); ++lane) {
    const Thread& thread = block.threads[first + lane];
    if (!(at_warp->mask & thread.bit()) || thread.state == State::Finished) continue;
    if (thread.state == State::AtWarp && thread.op == at_warp->op &&
        thread.mask == at_warp->mask) {
      continue;
    }
    missing = &thread;
    break;
  }
  std::vector<Witness> witnesses = {witness(*at_warp, "waits")};
  if (missing) witnesses.push_back(witness(*missing, "waits"));
  if (!missing && at_barrier) witnesses.push_back(witness(*at_barrier, "waits"));
  add("divergent_warp",
      format("Lane %u waits in %s for the lanes of mask 0x%08x, and lane %u is somewhere else: "
             "neither will ever go on.",
             at_warp->lane, name_of(at_warp->op), at_warp->mask, missing ? missing->lane : 0),
      std::move(witnesses));
}

}  // namespace cudasim
