import {
  type Clock,
  newAccessKey,
  newOpaqueSecret,
  newTokenSecret,
  type StoreTransaction,
  scopeSet,
  secretHash,
} from '@svc/auth-core';
import { ROLES, type Role, SCOPES, type Scope } from '@svc/contract';
import { openApp, type RunningApp } from '../support/app.ts';

const KINDS = ['key', 'bearer', 'bearer from a sign-in', 'sign-in', 'limited sign-in'] as const;
export type Kind = (typeof KINDS)[number];

/** A caller: a role, the granted scopes and the kind of credential. */
export interface Cell {
  readonly role: Role;
  readonly granted: readonly Scope[];
  readonly kind: Kind;
}

const SCOPE_SETS: readonly (readonly Scope[])[] = Array.from({ length: 2 ** SCOPES.length }, (_, bits) =>
  SCOPES.filter((_, index) => bits & (1 << index)),
);

/** 3 roles × 16 sets of scopes × 5 kinds of credential. */
export const CELLS: readonly Cell[] = ROLES.flatMap((role) =>
  SCOPE_SETS.flatMap((granted) => KINDS.map((kind) => ({ role, granted, kind }))),
);

const NOW = Date.UTC(2030, 0, 1);
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** An account with a valid credential for every cell, in an app with a separate database. */
export class Population {
  readonly running: RunningApp;
  /** Ids of the accounts, one for every cell. */
  readonly #ids = new Map<Cell, string>();

  private constructor(running: RunningApp) {
    this.running = running;
  }

  static async open(): Promise<Population> {
    const clock: Clock = { now: () => NOW };
    const population = new Population(await openApp({}, { clock }));
    const { stores, random } = population.running.services;
    stores.transaction((tx) => {
      for (const cell of CELLS) {
        const id = random.uuid();
        population.#ids.set(cell, id);
        tx.accounts.insert({
          id,
          email: `${id}@lab.test`,
          name: 'someone',
          role: cell.role,
          status: 'Active',
          accessKey: newAccessKey(random),
          passwordHash: null,
          temporaryPasswordUntil: null,
          defaultPassword: false,
          createdAt: NOW,
        });
      }
    });
    return population;
  }

  /** @returns a new credential for every cell, as headers, because some routes end the credential that calls them */
  async credentials(): Promise<Map<Cell, Record<string, string>>> {
    const headers = new Map<Cell, Record<string, string>>();
    for (const cell of CELLS) {
      if (cell.kind.startsWith('bearer')) headers.set(cell, await this.#bearer(cell));
    }
    this.running.services.stores.transaction((tx) => {
      for (const cell of CELLS) {
        if (cell.kind === 'key') headers.set(cell, this.#pair(tx, cell));
        if (cell.kind.endsWith('sign-in') && !headers.has(cell)) headers.set(cell, this.#cookie(tx, cell));
      }
    });
    return headers;
  }

  async #bearer(cell: Cell): Promise<Record<string, string>> {
    const sub = this.#ids.get(cell) as string;
    const input = { sub, aud: 'svc-rest', scopes: cell.granted, lifetime: 3600, until: null } as const;
    const chain = cell.kind === 'bearer from a sign-in' ? { sie: 0 } : {};
    const { token } = await this.running.services.signer.mint({ ...input, ...chain });
    return { authorization: `Bearer ${token}` };
  }

  #pair(tx: StoreTransaction, cell: Cell): Record<string, string> {
    const { random } = this.running.services;
    const ownerId = this.#ids.get(cell) as string;
    const secret = newTokenSecret(random);
    const scopes = scopeSet(cell.granted);
    const made = { id: random.uuid(), ownerId, kind: 'api-key', name: 'key', scopes, teamId: null } as const;
    const limits = { rateLimit: 300, createdAt: NOW, expiresAt: null, lastUsedAt: null, rule: null };
    tx.apiTokens.insert({ ...made, ...limits }, secretHash(secret));
    const accessKey = tx.accounts.byId(ownerId)?.accessKey ?? '';
    return { 'x-svc-access-key': accessKey, 'x-svc-token': secret };
  }

  #cookie(tx: StoreTransaction, cell: Cell): Record<string, string> {
    const { random } = this.running.services;
    const accountId = this.#ids.get(cell) as string;
    const value = newOpaqueSecret(random);
    const made = { id: random.uuid(), accountId, createdAt: NOW, lastSeenAt: NOW, userAgent: null };
    const bounds = {
      scopes: cell.kind === 'sign-in' ? null : scopeSet(cell.granted),
      until: null,
      apiTokenId: null,
      teamId: null,
      rule: null,
      provenAt: cell.kind === 'sign-in' ? NOW : null,
      openedWith: [],
    };
    tx.signIns.insert({ ...made, ...bounds, expiresAt: NOW + YEAR_MS }, secretHash(value));
    return { cookie: `svc_dashboard_session=${value}` };
  }
}
