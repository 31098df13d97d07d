import type { Answer } from '../../api/client.ts';

export type DeviceHistory = Answer<'getDeviceHistory'>;

/** Lowest and highest value that was read, or null if none was. */
export type Range = readonly [low: number, high: number] | null;

export interface HealthDay {
  /** Beginning of the day (UTC) as an ISO time. */
  readonly day: string;
  readonly ended: number;
  readonly failed: number;
  readonly refused: number;
  readonly battery: Range;
  readonly temperature: Range;
}

/** @returns one row for each day on which the phone was read or a session ended or was refused, newest first */
export function healthDays({ probes, days }: Pick<DeviceHistory, 'probes' | 'days'>): readonly HealthDay[] {
  const counts = new Map(days.map((each) => [dateOf(each.day), each]));
  const dates = new Set([...counts.keys(), ...probes.map(({ at }) => dateOf(at))]);
  return [...dates]
    .toSorted()
    .toReversed()
    .map((date) => {
      const read = probes.filter(({ at }) => dateOf(at) === date);
      const { ended = 0, failed = 0, refused = 0 } = counts.get(date) ?? {};
      return {
        day: `${date}T00:00:00.000Z`,
        ...{ ended, failed, refused },
        battery: rangeOf(read.map(({ battery }) => battery)),
        temperature: rangeOf(read.map(({ temperature }) => temperature)),
      };
    });
}

function dateOf(time: string): string {
  return time.slice(0, 10);
}

export function rangeOf(values: readonly (number | null)[]): Range {
  const read = values.filter((value) => value !== null);
  return read.length === 0 ? null : [Math.min(...read), Math.max(...read)];
}
