import type { DriverSession } from '../driver-session.ts';
import type { NewLabEvent } from './lab-events.ts';

/** @returns an event about a driver session, for the readers who may see the session (contract 3.4) */
export function sessionEvent(
  type: 'session_started' | 'session_changed' | 'session_ended',
  session: DriverSession,
): NewLabEvent {
  const { id, name, status, ownerId, device, node, tags, failureCategory, failureReason } = session;
  return {
    type,
    payload: {
      id,
      name,
      status,
      ownerId,
      device,
      node,
      tags,
      startedAt: new Date(session.startedAt).toISOString(),
      endedAt: session.endedAt === null ? null : new Date(session.endedAt).toISOString(),
      failureCategory,
      failureReason,
    },
    audience: { kind: 'session', ownerId },
  };
}
