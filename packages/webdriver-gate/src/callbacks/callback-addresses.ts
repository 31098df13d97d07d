import {
  type Caller,
  type ConnectionHandle,
  newOpaqueSecret,
  type OpenConnections,
  type Random,
  refusalToDrive,
  secretHash,
} from '@svc/auth-core';
import type { DeviceLab, DriverSessions } from '@svc/device-lab';
import { CALLBACK_PATH } from '../target.ts';
import type { RunningCommand, RunningCommands } from './running-commands.ts';

interface CallbackOptions {
  readonly running: RunningCommands;
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly lab: Pick<DeviceLab, 'onEnd'> & { readonly sessions: Pick<DriverSessions, 'ownerOf'> };
  readonly random: Random;
}

/** The session that an address is for, and the caller whose command it serves. */
export interface Callback {
  readonly sessionId: string;
  readonly caller: Caller | 'hub';
}

interface Address {
  readonly hash: string;
  readonly sessionId: string;
  /** The commands that ran when the address was opened. It works until the last of them has ended. */
  readonly grants: Set<Grant>;
}

/** The right of one running command to have addresses. */
interface Grant {
  readonly caller: Caller | 'hub';
  /** Checks again whether the caller has the right. Null for a command from the hub, because the hub checks it. */
  readonly handle: ConnectionHandle | null;
  readonly addresses: Set<Address>;
}

/** Maximum number of open addresses for one command. Opening a further one closes the oldest. */
const MAX_ADDRESSES_PER_COMMAND = 100;

/**
 * Private addresses at which drivers and plugins of the automation server call it back for a session while a command
 * of that session runs (contract 7). An address is a path prefix with a secret. It opens the commands of this one
 * session and nothing else, and it ends with the commands that ran when it was opened, with their callers' right to
 * the session, or with the session.
 */
export class CallbackAddresses {
  readonly #options: CallbackOptions;
  readonly #byHash = new Map<string, Address>();
  /** Null for a command whose caller has lost the right. */
  readonly #grants = new WeakMap<RunningCommand, Grant | null>();

  constructor(options: CallbackOptions) {
    this.#options = options;
    options.lab.onEnd(({ id }) => {
      for (const command of options.running.of(id)) options.running.end(command);
    });
  }

  /** @returns the prefix of a new address, or an empty text if no command of the session runs */
  open(sessionId: string): string {
    const grants = this.#options.running.of(sessionId).flatMap((command) => this.#grantOf(command) ?? []);
    if (grants.length === 0) return '';
    const secret = newOpaqueSecret(this.#options.random);
    const address: Address = { hash: secretHash(secret), sessionId, grants: new Set(grants) };
    this.#byHash.set(address.hash, address);
    for (const { addresses } of grants) {
      const [oldest] = addresses;
      if (oldest !== undefined && addresses.size >= MAX_ADDRESSES_PER_COMMAND) this.#close(oldest);
      addresses.add(address);
    }
    return `${CALLBACK_PATH}${secret}`;
  }

  /** @returns undefined if no address with this secret works now */
  find(secret: string): Callback | undefined {
    const address = this.#byHash.get(secretHash(secret));
    if (address === undefined) return undefined;
    for (const { caller, handle } of address.grants) {
      if (handle === null || handle.current() !== null) return { sessionId: address.sessionId, caller };
    }
    return undefined;
  }

  #grantOf(command: RunningCommand): Grant | null {
    const known = this.#grants.get(command);
    if (known !== undefined) return known;
    const { caller } = command;
    const handle = caller === 'hub' ? null : this.#follow(command, caller);
    const grant: Grant = { caller, handle, addresses: new Set() };
    this.#grants.set(command, grant);
    command.onEnd = () => {
      handle?.forget();
      this.#end(grant);
    };
    return grant;
  }

  /** Closes the addresses when the caller loses the right to the session. The command itself continues. */
  #follow(command: RunningCommand, caller: Caller): ConnectionHandle {
    const { connections, lab } = this.#options;
    return connections.add({
      caller,
      refusal: (now) => {
        const owner = lab.sessions.ownerOf(command.sessionId);
        // The owner is recorded at the end of the create, and plugins may call back during the create.
        return owner === undefined ? null : refusalToDrive(now, owner);
      },
      close: () => {
        const grant = this.#grants.get(command);
        this.#grants.set(command, null);
        if (grant) this.#end(grant);
      },
    });
  }

  #end(grant: Grant): void {
    for (const address of grant.addresses) {
      address.grants.delete(grant);
      if (address.grants.size === 0) this.#byHash.delete(address.hash);
    }
    grant.addresses.clear();
  }

  #close(address: Address): void {
    this.#byHash.delete(address.hash);
    for (const { addresses } of address.grants) addresses.delete(address);
  }
}
