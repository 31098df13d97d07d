import { type Audit, actorOf, type Caller, type Clock, type Random, type Stores } from '@svc/auth-core';
import type { PhoneProgram } from './phone-program.ts';
import type { RemoteService } from './remote-service.ts';

/** All connections of one credential to one phone at the same time. */
export interface RemoteUse {
  readonly id: string;
  readonly udid: string;
  readonly caller: Caller;
  readonly since: number;
  toPhone: number;
  fromPhone: number;
  /** Closes the open sockets, each with the function that `begin` got. */
  readonly sockets: Set<(reason: string) => void>;
  /** Number of services by kind and first word since the last row of the audit trail. */
  readonly counts: Map<string, number>;
  countedSince: number;
}

interface Tools {
  readonly event: PhoneProgram['event'];
  readonly audit: Audit;
  readonly stores: Pick<Stores, 'transaction'>;
  readonly clock: Clock;
  readonly random: Random;
}

const MINUTE_MS = 60_000;
/** Maximum number of different kinds and words of one minute. Further ones are counted together. */
const MOST_KINDS = 50;

/**
 * Who uses which phone from elsewhere. A use begins with the first socket of a credential and ends with its last one. Its
 * beginning gets a row in the audit trail, and its services one row for each kind and minute (contract 16.3).
 */
export class RemoteUsers {
  readonly #tools: Tools;
  readonly #uses = new Map<string, RemoteUse>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  get all(): readonly RemoteUse[] {
    return [...this.#uses.values()];
  }

  /**
   * Adds a socket to the use of its caller. Throws if the audit row of a new use cannot be stored, because no one uses
   * a phone without one.
   * @param close closes the socket with a reason for its client
   */
  begin(
    caller: Caller,
    udid: string,
    close: (reason: string) => void,
  ): { use: RemoteUse; leave: () => void } {
    const key = `${udid}\0${caller.account.id}\0${caller.credential.kind}\0${caller.credential.id}`;
    const use = this.#uses.get(key) ?? this.#add(key, caller, udid);
    use.sockets.add(close);
    const leave = () => {
      if (!use.sockets.delete(close) || use.sockets.size > 0) return;
      this.#uses.delete(key);
      this.#flush(use);
    };
    return { use, leave };
  }

  count(use: RemoteUse, { kind, word }: RemoteService): void {
    const name = word === null ? kind : `${kind} ${word}`;
    const known = use.counts.has(name) || use.counts.size < MOST_KINDS ? name : 'other services';
    use.counts.set(known, (use.counts.get(known) ?? 0) + 1);
  }

  /** Writes the rows of uses whose minute has ended. Called at intervals. */
  flush(): void {
    const now = this.#tools.clock.now();
    for (const use of this.#uses.values()) if (now - use.countedSince >= MINUTE_MS) this.#flush(use);
  }

  #add(key: string, caller: Caller, udid: string): RemoteUse {
    const { event, audit, stores, clock, random } = this.#tools;
    const now = clock.now();
    stores.transaction((tx) =>
      audit.record(tx, event, { ...actorOf(caller), target: udid, reason: 'connected' }),
    );
    const use: RemoteUse = {
      id: random.uuid(),
      udid,
      caller,
      since: now,
      toPhone: 0,
      fromPhone: 0,
      sockets: new Set(),
      counts: new Map(),
      countedSince: now,
    };
    this.#uses.set(key, use);
    return use;
  }

  #flush(use: RemoteUse): void {
    const { event, audit, clock } = this.#tools;
    for (const [name, count] of use.counts) {
      const reason = `${name}: ${count} ${count === 1 ? 'service' : 'services'}`;
      audit.recordBestEffort(event, { ...actorOf(use.caller), target: use.udid, reason });
    }
    use.counts.clear();
    use.countedSince = clock.now();
  }
}
