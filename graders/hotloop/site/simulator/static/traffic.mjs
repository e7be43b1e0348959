// What each line of a kernel moves: bars beside the code, and the table below it.
import { number, table } from './elements.mjs';

const size = (bytes) =>
  bytes < 10_000 ? `${number(bytes)} B` : bytes < 10_000_000 ? `${number(Math.round(bytes / 1000))} kB` : `${number(Math.round(bytes / 1e6))} MB`;

export const efficiency = (site) => (site.moved ? site.fewest / site.moved : 1);

/** The same sentences as `hotloop cuda run --traffic` (engines/simulate/table.py). */
export function sentence(site) {
  const share = efficiency(site);
  if (site.space === 'local') return 'an array or variable that is not in registers';
  if (site.space === 'constant' || !site.requests) return '';
  if (site.space === 'shared') {
    return share >= 0.99 ? 'no bank conflicts' : `bank conflicts: ${(1 / share).toFixed(1)} passes for each access`;
  }
  return share >= 0.99 ? 'coalesced' : `uncoalesced: moves ${(1 / share).toFixed(1)}× the requested bytes`;
}

/** For Editor.showTraffic: one row a line, of global memory. */
export function bars(sites) {
  const lines = new Map();
  for (const site of sites.filter(({ space, line }) => space === 'global' && line)) {
    const row = lines.get(site.line.line) ?? { moved: 0, fewest: 0 };
    row.moved += site.moved;
    row.fewest += site.fewest;
    lines.set(site.line.line, row);
  }
  const most = Math.max(1, ...[...lines.values()].map(({ moved }) => moved));
  return [...lines].map(([line, { moved, fewest }]) => ({
    line,
    share: moved / most,
    efficiency: moved ? fewest / moved : 1,
    text: `line ${line} moves ${size(moved)} of global memory; ${size(fewest)} would do`,
  }));
}

export const trafficTable = (sites) =>
  table(
    'Memory traffic by line',
    ['line', 'memory', 'requested', 'moved', 'needed of it', 'what it means'],
    sites.map((site) => [
      site.line ? String(site.line.line) : '?',
      `${site.space} ${site.did}`,
      size(site.bytes),
      site.space === 'shared' ? `${number(site.moved)} passes` : size(site.moved),
      `${Math.round(100 * efficiency(site))} %`,
      sentence(site),
    ]),
  );
