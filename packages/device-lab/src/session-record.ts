import type { Caller } from '@svc/auth-core';
import type { Admission } from './admission.ts';
import type { Device } from './device.ts';
import type { DriverSession } from './driver-session.ts';
import type { StartedSession } from './start-session.ts';
import { storedCapabilities } from './stored-capabilities.ts';

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

function agentOf(caller: Caller | null): Pick<DriverSession, 'agent'> {
  const agent = caller?.credential.agent;
  if (agent == null || caller?.expiresAt == null) return {};
  return { agent: { id: agent.id, until: caller.expiresAt, minutes: agent.minutes } };
}

/** @returns the record of a session that started at `now` (ms since 1970). Secrets in its capabilities are masked. */
export function sessionRecord(
  { id, node, capabilities }: StartedSession,
  { caller, healingTiers }: Admission,
  device: Device | null,
  now: number,
): DriverSession {
  const rule = caller?.credential.rule;
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
    ...agentOf(caller),
  };
}
