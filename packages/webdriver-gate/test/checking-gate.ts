import {
  CommandHeaders,
  credentialSchemes,
  OpenConnections,
  type PresentedCredentials,
  type RequestOrigin,
  type Stores,
} from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import { CreateBudget } from '../src/create-budget.ts';
import { Gate } from '../src/gate.ts';
import type { GateOptions } from '../src/gate-options.ts';

const account = { id: 'ana', role: 'Member', status: 'Active', accessKey: 'k', signInEpoch: 0 };

/** Who is let in once the check is through. */
export const ANA = { account, credential: { kind: 'key', id: 'token' }, scopes: 0xff, expiresAt: null };

/** Where real credentials stand. */
export const COMMAND_HEADERS = new CommandHeaders(
  credentialSchemes({ stores: {}, signer: {}, signInTtlMs: 1000 } as never),
);

/** A gate that checks commands, where every session is Ana's; `authenticate` decides about whoever asks. */
export function checkingGate(
  authenticate: (presented: PresentedCredentials, from: RequestOrigin) => unknown,
  options: Partial<GateOptions>,
): Gate {
  const clock = { now: () => 0 };
  const log = silentLog();
  const authenticator = {
    authenticate,
    authenticateSessionToken: authenticate,
    authenticateCommand: (presented: PresentedCredentials, from: RequestOrigin) =>
      presented.headers.authorization === undefined ? undefined : authenticate(presented, from),
    commandHeaders: COMMAND_HEADERS,
    holds: () => true,
    stillGood: () => true,
    ...options.authenticator,
  };
  const stores = { accounts: { byId: () => account }, version: () => 0 } as unknown as Stores;
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
    createMaxBytes: 512 * 1024,
    createBudget: new CreateBudget(clock),
    audit: { recordRefusal() {}, recordBestEffort() {} },
    stores: { teams: {} },
    connections: new OpenConnections({ authenticator, stores, clock, log }),
    lab: { sessions: { ownerOf: () => 'ana', findIgnoringCase: (id: string) => id }, onEnd() {} },
    clock,
    log,
    ...options,
    authenticator,
  } as unknown as GateOptions);
}
