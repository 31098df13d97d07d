import type { PresentedCredentials, RequestOrigin } from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import { Gate, type GateOptions } from '../src/gate.ts';

const account = { id: 'ana', role: 'Member', status: 'Active', accessKey: 'k', signInEpoch: 0 };

/** Who is let in once the check is through. */
export const ANA = { account, credential: { kind: 'key', id: 'token' }, scopes: 0xff, expiresAt: null };

/** A gate that checks commands, where every session is Ana's; `authenticate` decides about whoever asks. */
export function checkingGate(
  authenticate: (presented: PresentedCredentials, from: RequestOrigin) => Promise<unknown>,
  options: Partial<GateOptions>,
): Gate {
  return new Gate({
    basePath: '',
    cors: false,
    authDisabled: false,
    requireSessionToken: false,
    requireCommandAuth: true,
    commandAuthReportOnly: false,
    reportOnlyStats: null,
    refusals: { note() {} },
    addressOf: () => '',
    audit: { recordRefusal() {}, recordBestEffort() {} },
    authenticator: {
      authenticate,
      authenticateSessionToken: authenticate,
      authenticateCommand: (presented: PresentedCredentials, from: RequestOrigin) =>
        presented.headers.authorization === undefined ? undefined : authenticate(presented, from),
      commandHeaders: ['authorization'],
      holds: () => true,
      stillGood: () => true,
    },
    stores: { accounts: { byId: () => account }, teams: {}, version: () => 0 },
    lab: { sessions: { ownerOf: () => 'ana', findIgnoringCase: (id: string) => id }, onEnd() {} },
    clock: { now: () => 0 },
    log: silentLog(),
    ...options,
  } as GateOptions);
}
