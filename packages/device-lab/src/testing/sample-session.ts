import type { Admission } from '../admission.ts';
import type { SessionEnd } from '../driver-sessions.ts';
import type { StartedSession, StartSession } from '../start-session.ts';

/** @returns an admission (what a create-session request is allowed to do) without owner, which may use any device */
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

/** @returns a function that starts a session without a driver. The session runs until the test ends it. */
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
