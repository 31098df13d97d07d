import type { Admission } from '../admission.ts';
import type { SessionEnd } from '../driver-sessions.ts';
import type { StartedSession, StartSession } from '../start-session.ts';

/** May be created by anyone, on any device, and has no owner. */
export function sampleAdmission(change: Partial<Admission> = {}): Admission {
  return {
    caller: null,
    lacksCredentials: false,
    teamId: null,
    maySee: () => true,
    healingTiers: null,
    lease: null,
    ...change,
  };
}

/** A session that is nowhere and runs until it is ended. */
export function sampleStart(id: string, change: Partial<StartedSession> = {}): StartSession<string> {
  return async () => ({
    started: {
      id,
      capabilities: {},
      end: async () => undefined,
      ended: new Promise<SessionEnd>(() => undefined),
      keepAlive: async () => undefined,
      ...change,
    },
    answer: `${id} was created`,
  });
}
