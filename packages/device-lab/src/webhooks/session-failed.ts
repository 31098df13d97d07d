import type { DriverSession } from '../driver-session.ts';

/**
 * Payload of the `session_failed` webhook, which has exactly these nine fields (specification 6). Times are ISO 8601.
 */
export interface SessionFailed {
  readonly sessionId: string;
  readonly sessionName: string | null;
  /** Reason of the failure, with secrets masked like in the session record. */
  readonly failureReason: string | null;
  readonly udid: string | null;
  readonly deviceName: string | null;
  readonly platform: string | null;
  readonly osVersion: string | null;
  readonly startTime: string;
  readonly endTime: string | null;
}

/**
 * @returns the payload for a session that its client marked as failed or that ended because of a failure, otherwise
 * undefined
 */
export function sessionFailed(session: DriverSession): SessionFailed | undefined {
  if (session.status !== 'failed' || session.endedAt === null) return undefined;
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
    endTime: instant(session.endedAt),
  };
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
