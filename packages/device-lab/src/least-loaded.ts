import type { Device } from './device.ts';
import type { Devices } from './devices.ts';

/** @returns a free device of the server that has the smallest share of busy devices, or undefined if `free` is empty */
export function leastLoaded(free: readonly Device[], devices: Devices): Device | undefined {
  const [first] = free;
  if (first === undefined || free.every(({ node }) => node === first.node)) return first;
  const loads = new Map<string | null, { total: number; busy: number }>();
  for (const { node, udid } of devices.list()) {
    const status = devices.statusOf(udid);
    if (status === 'away') continue;
    const { total, busy } = loads.get(node) ?? { total: 0, busy: 0 };
    loads.set(node, { total: total + 1, busy: busy + (status === 'busy' ? 1 : 0) });
  }
  const loadOf = ({ node }: Device): number => {
    const load = loads.get(node);
    return load === undefined ? 0 : load.busy / load.total;
  };
  return free.reduce((best, device) => (loadOf(device) < loadOf(best) ? device : best));
}
