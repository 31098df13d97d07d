import type { DriverSession } from '@svc/device-lab';
import { instant } from '@svc/module';

/**
 * Payload of the events `session_failed` and `session_passed`, which has exactly these nine fields (specification 6).
 * Times are in ISO 8601 format.
 */
interface SessionEnded {
  readonly sessionId: string;
  readonly sessionName: string | null;
  /**
   * Reason for the failure, in which secrets are masked. Null if there is none, for example because the session passed.
   */
  readonly failureReason: string | null;
  readonly udid: string | null;
  readonly deviceName: string | null;
  readonly platform: string | null;
  readonly osVersion: string | null;
  readonly startTime: string;
  readonly endTime: string;
}

interface EndEvent {
  readonly event: 'session_failed' | 'session_passed';
  readonly payload: SessionEnded;
}

/**
 * @returns the event for an ended session: `session_passed` if its client marked it as passed, `session_failed` if its
 * client marked it as failed or it ended because of a failure, otherwise undefined
 */
export function sessionEnded(session: DriverSession): EndEvent | undefined {
  const { status, endedAt } = session;
  if (endedAt === null || (status !== 'failed' && status !== 'passed')) return undefined;
  return { event: `session_${status}`, payload: payloadOf(session, endedAt) };
}

function payloadOf(session: DriverSession, endedAt: number): SessionEnded {
  const { device } = session;
  return {
    sessionId: session.id,
    sessionName: session.name,
    failureReason: session.failureReason,
    udid: device?.udid ?? null,
    deviceName: device?.name ?? null,
    platform: device?.platform ?? null,
    osVersion: device?.osVersion ?? null,
    startTime: instant(session.startedAt),
    endTime: instant(endedAt),
  };
}
