import { isRecord } from '@svc/contract';
import type { Admission } from './admission.ts';
import { maskValue } from './command-log/mask.ts';
import type { Device } from './device.ts';
import type { DriverSession } from './driver-session.ts';
import type { StartedSession } from './start-session.ts';

/** Maximum size (characters of JSON) of the capabilities that are stored with a session. */
export const MOST_CAPABILITIES = 64 * 1024;
/** Name of the field that says which capabilities are not stored. */
const LEFT_OUT = 'svc:leftOut';
/** Room for the field `LEFT_OUT`. In JSON, a character of a name takes up to 6 characters. */
const RESERVED = 4 * 1024;
const MOST_NAMES = 10;
const LONGEST_NAME = 50;

/**
 * Thrown if a session was started but could not be stored with its owner. The session has been ended before
 * (specification 5.4.5).
 */
export class SessionNotRecorded extends Error {
  constructor(options: ErrorOptions) {
    super('the session could not be recorded', options);
    this.name = 'SessionNotRecorded';
  }
}

/** @returns the record of a session that started at `now` (ms since 1970). Secrets in its capabilities are masked. */
export function sessionRecord(
  { id, node, capabilities }: StartedSession,
  { caller, healingTiers }: Admission,
  device: Device | null,
  now: number,
): DriverSession {
  const { rule, agent } = caller?.credential ?? {};
  const until = caller?.expiresAt;
  return {
    id,
    name: null,
    status: 'running',
    ownerId: caller?.account.id ?? null,
    device:
      device === null
        ? null
        : { udid: device.udid, name: device.name, platform: device.platform, osVersion: device.osVersion },
    node: node ?? null,
    startedAt: now,
    endedAt: null,
    failureCategory: null,
    failureReason: null,
    tags: [],
    healingTiers,
    startedBy: rule?.run ?? null,
    ...(rule?.url === undefined ? {} : { startedByUrl: rule.url }),
    capabilities: storedCapabilities(capabilities),
    ...(agent == null || until == null ? {} : { agent: { id: agent.id, until, minutes: agent.minutes } }),
  };
}

/**
 * @returns the capabilities of a session as they are stored: secrets are masked, and at most `MOST_CAPABILITIES` are
 * kept. Larger ones lose their largest values, and the field `svc:leftOut` (`{count, names}`) says which, so that one
 * client cannot make lists of sessions large for everybody.
 */
export function storedCapabilities(capabilities: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const masked = maskValue(capabilities);
  if (!isRecord(masked)) return {};
  if (JSON.stringify(masked).length <= MOST_CAPABILITIES) return masked;
  const entries = Object.entries(masked).filter(([name]) => name !== LEFT_OUT);
  const sizes = entries.map(([name, value]) => JSON.stringify([name, value]).length);
  let left = MOST_CAPABILITIES - RESERVED;
  const kept = new Set<string>();
  for (const index of [...sizes.keys()].sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0))) {
    left -= sizes[index] ?? 0;
    const [name] = entries[index] ?? [];
    if (left < 0 || name === undefined) break;
    kept.add(name);
  }
  const names = entries.map(([name]) => name).filter((name) => !kept.has(name));
  const named = names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
  return {
    ...Object.fromEntries(entries.filter(([name]) => kept.has(name))),
    [LEFT_OUT]: { count: names.length, names: named },
  };
}
