import { type Caller, newOpaqueSecret, type Random, secretHash } from '@svc/auth-core';
import { type DeviceLab, type DriverSessions, refusalToDrive } from '@svc/device-lab';
import type { ConnectionHandle, OpenConnections } from '@svc/module';
import { CALLBACK_PATH } from '../target.ts';
import type { RunningCommand, RunningCommands } from './running-commands.ts';

interface CallbackOptions {
  readonly running: RunningCommands;
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly lab: Pick<DeviceLab, 'onEnd'> & { readonly sessions: Pick<DriverSessions, 'ownerOf'> };
  readonly random: Random;
}

/**
 * What a callback address (a private address for drivers and plugins) gives access to: its session, with the rights of
 * a caller whose command was running when the address was opened.
 */
export interface Callback {
  readonly sessionId: string;
  readonly caller: Caller | 'hub';
}

interface Address {
  readonly hash: string;
  readonly sessionId: string;
  /**
   * Rights of the commands that were running when the address was opened (see `Grant`). The address works until all
   * these commands have ended or their callers have lost the right to the session.
   */
  readonly grants: Set<Grant>;
}

/**
 * The right of one running command's caller to the session. Every callback address that is opened while the command
 * runs depends on this right.
 */
interface Grant {
  readonly caller: Caller | 'hub';
  /**
   * Rechecks the caller's right to the session. Null for a command from the hub, because the hub checks its callers
   * itself.
   */
  readonly handle: ConnectionHandle | null;
  readonly addresses: Set<Address>;
}

/** Maximum number of open callback addresses per command. Opening another address closes the oldest one. */
const MAX_ADDRESSES_PER_COMMAND = 100;

/**
 * Opens and closes callback addresses: private addresses at which drivers and plugins can send commands of a session to
 * this server while another command of that session runs (contract 7). A callback address is a path prefix with a
 * secret, and works for this session only. It is closed when the commands that ran when it was opened have ended, when
 * their callers lose the right to the session, or when the session ends.
 */
export class CallbackAddresses {
  readonly #options: CallbackOptions;
  readonly #byHash = new Map<string, Address>();
  /** The right to the session of each running command's caller (see `Grant`). Null if the caller has lost it. */
  readonly #grants = new WeakMap<RunningCommand, Grant | null>();

  constructor(options: CallbackOptions) {
    this.#options = options;
    options.lab.onEnd(({ id }) => {
      for (const command of options.running.of(id)) options.running.end(command);
    });
  }

  /**
   * Opens a callback address, at which drivers and plugins can send commands of a session to this server.
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

  /**
   * Watches whether a command's caller still has the right to the session. When the caller loses it, closes the
   * callback addresses of the command. The command itself continues.
   */
  #follow(command: RunningCommand, caller: Caller): ConnectionHandle {
    const { connections, lab } = this.#options;
    return connections.add({
      caller,
      refusal: (now) => {
        const owner = lab.sessions.ownerOf(command.sessionId);
        // Allow a session without a recorded owner, because plugins may call back before the create-session request
        // ends, and the owner is recorded only then.
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
