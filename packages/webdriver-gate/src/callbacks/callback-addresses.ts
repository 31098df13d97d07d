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

/** Session of a callback address, and the caller of the command for which the address was opened. */
export interface Callback {
  readonly sessionId: string;
  readonly caller: Caller | 'hub';
}

interface Address {
  readonly hash: string;
  readonly sessionId: string;
  /**
   * Rights of the commands that ran when the address was opened. The address works until the last of these commands has
   * ended.
   */
  readonly grants: Set<Grant>;
}

/** Caller of one running command, on whose rights a callback address depends while the command runs. */
interface Grant {
  readonly caller: Caller | 'hub';
  /**
   * Revalidates the caller's right to the session. Null for a command from the hub, because the hub checks the caller.
   */
  readonly handle: ConnectionHandle | null;
  readonly addresses: Set<Address>;
}

/** Maximum number of open callback addresses per command. Opening another address closes the oldest one. */
const MAX_ADDRESSES_PER_COMMAND = 100;

/**
 * Private addresses at which drivers and plugins of the automation server call it back for a session while a command of
 * that session runs (contract 7). An address is a path prefix with a secret. It gives access to the commands of this
 * session only. It is closed when the commands that ran when it was opened have ended, when their callers lose the
 * right to the session, or when the session ends.
 */
export class CallbackAddresses {
  readonly #options: CallbackOptions;
  readonly #byHash = new Map<string, Address>();
  /** Grant of each running command, or null if the caller has lost the right to the session. */
  readonly #grants = new WeakMap<RunningCommand, Grant | null>();

  constructor(options: CallbackOptions) {
    this.#options = options;
    options.lab.onEnd(({ id }) => {
      for (const command of options.running.of(id)) options.running.end(command);
    });
  }

  /**
   * Opens a callback address for a session.
   *
   * @returns the path prefix of the address, or an empty text if no command of the session runs
   */
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

  /** @returns the session and the caller of the address with this secret, or undefined if no such address works now */
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

  /** Closes the addresses of a command when its caller loses the right to the session. The command itself continues. */
  #follow(command: RunningCommand, caller: Caller): ConnectionHandle {
    const { connections, lab } = this.#options;
    return connections.add({
      caller,
      refusal: (now) => {
        const owner = lab.sessions.ownerOf(command.sessionId);
        // Allow a session without an owner, because the owner is recorded at the end of the create-session request and
        // plugins may call back before that.
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
