import type { Role, Status } from '@svc/contract';
import { Unavailable } from '../errors.ts';
import type { Clock } from '../ports/index.ts';
import type { Account } from '../principal.ts';

/** An account as a further entrance is told of it: what decides about its credentials. */
export interface ToldAccount {
  readonly id: string;
  readonly role: Role;
  readonly status: Status;
  readonly accessKey: string;
  readonly signInEpoch: number;
  readonly sparedSignIn: string | null;
}

/**
 * For so long nothing has to be heard: as long as a node keeps its hub's keys (contract 8.3). Who could change an
 * account is the server that is silent; but a cut line looks the same, so it is not believed for longer.
 */
const SILENT_MS = 10 * 60 * 1000;

/** The accounts of the first entrance, as it told them last; the stores of a server without a database. */
export class ToldAccounts {
  readonly #clock: Clock;
  #accounts: ReadonlyMap<string, Account> = new Map();
  #cursor: string | undefined;
  #version = 0;
  #heardAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What was told last; undefined: nothing yet. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** `accounts`: all there are; null: nothing has changed. */
  hear(cursor: string, accounts: readonly ToldAccount[] | null): void {
    this.#heardAt = this.#clock.now();
    if (accounts === null) return;
    this.#accounts = new Map(accounts.map((told) => [told.id, accountOf(told)]));
    this.#cursor = cursor;
    this.#version++;
  }

  /** Undefined: there is none. Throws `Unavailable` after too long a silence. */
  byId(id: string): Account | undefined {
    this.#checkHeard();
    return this.#accounts.get(id);
  }

  /** As `Stores.version`. Throws as `byId` does. */
  version(): number {
    this.#checkHeard();
    return this.#version;
  }

  #checkHeard(): void {
    const now = this.#clock.now();
    // Below 0: the clock was set back.
    const age = this.#heardAt === null ? SILENT_MS : now - this.#heardAt;
    if (age < 0 || age >= SILENT_MS) throw new Unavailable('the first entrance has not been heard of');
  }
}

function accountOf(told: ToldAccount): Account {
  return {
    ...told,
    email: '',
    name: '',
    teams: [],
    createdAt: 0,
    lastSignInAt: null,
    temporaryPasswordUntil: null,
    defaultPassword: false,
  };
}
