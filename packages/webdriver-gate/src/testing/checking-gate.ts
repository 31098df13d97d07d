import {
  type Authenticator,
  CommandHeaders,
  credentialSchemes,
  type PresentedCredentials,
  type RequestOrigin,
  type Stores,
} from '@svc/auth-core';
import { OpenConnections } from '@svc/module';
import { type AppiumGate, appiumGate } from '../appium-gate.ts';
import { clientFacts } from '../client-facts.ts';
import { CreateBudget } from '../create-budget.ts';
import type { AppiumGateOptions } from '../gate-options.ts';

const account = { id: 'ana', role: 'Member', status: 'Active', accessKey: 'k', signInEpoch: 0 };

/** A caller who is authenticated with a key pair. */
export const ANA = { account, credential: { kind: 'key', id: 'token' }, scopes: 0xff, expiresAt: null };

/** Headers in which the real authentication schemes read credentials. */
export const COMMAND_HEADERS = new CommandHeaders(
  credentialSchemes({ stores: {}, signer: {}, signInTtlMs: 1000 } as never),
);

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

type Authenticate = (presented: PresentedCredentials, from: RequestOrigin) => unknown;

type Changes = Partial<Omit<AppiumGateOptions, 'authenticator'>> & {
  readonly authenticator?: Partial<Authenticator>;
};

/**
 * Creates a gate that checks commands, for tests. The test user Ana owns every session. `authenticate` returns the
 * caller of a credential, or rejects the credential.
 */
export function checkingGate(authenticate: Authenticate, options: Changes): AppiumGate {
  return appiumGate(checkingOptions(authenticate, options));
}

/** Returns the options with which `checkingGate` creates its gate, for tests that create other gates. */
export function checkingOptions(authenticate: Authenticate, options: Changes): AppiumGateOptions {
  const clock = { now: () => 0 };
  const log = QUIET;
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
  return {
    attach: { find: () => undefined, noteUse: () => undefined, sessionsAt: () => [] },
    basePath: '',
    cors: false,
    authDisabled: false,
    requireSessionToken: false,
    requireCommandAuth: true,
    commandAuthReportOnly: false,
    reportOnlyStats: null,
    refusals: { note() {} },
    clients: clientFacts([]),
    createMaxBytes: 512 * 1024,
    createBudget: new CreateBudget(clock),
    audit: { recordRefusal() {}, recordBestEffort() {} },
    stores: { teams: {} },
    connections: new OpenConnections({ authenticator, stores, clock, log }),
    lab: { sessions: { ownerOf: () => 'ana', findIgnoringCase: (id: string) => id }, onEnd() {} },
    places: { place: async () => null },
    callbacks: { find: () => undefined },
    fromHub: null,
    clock,
    log,
    ...options,
    authenticator,
  } as unknown as AppiumGateOptions;
}
