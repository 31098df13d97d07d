import {
  type Caller,
  type IssuedTicket,
  isOverrideAdmin,
  type Log,
  type OpenConnections,
  type Random,
  Refusal,
  type Sender,
  type Tickets,
} from '@svc/auth-core';
import type { AdbAddress, Device, DeviceControl } from '@svc/device-lab';
import type { WebSocket } from 'ws';
import { AdbSocket, type AdbSocketTools, type OpenAdb } from './adb-socket.ts';
import type { AdbUse, AdbUsers } from './adb-users.ts';
import { type HolderLab, refusalToUseAdb } from './holder.ts';
import type { NodeAdb } from './node-adb.ts';

/** Someone who may use adb on a phone: a caller or, on a node, its hub, which checks its own callers. */
export interface AdmittedAdb {
  readonly caller: Caller | null;
  readonly device: Device;
}

interface RemoteAdbTools {
  readonly lab: HolderLab;
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly tickets: Pick<Tickets, 'issue'>;
  readonly openConnections: Pick<OpenConnections, 'add'>;
  readonly users: AdbUsers;
  /** Address of the adb server, and whether the lab uses adb now. */
  readonly adb: { readonly address: AdbAddress; isOn(): boolean };
  /** Who may use adb from elsewhere: no one, or the holders of phones (`SVC_ADB_REMOTE`). */
  readonly mode: 'off' | 'holders';
  readonly nodeAdb: NodeAdb;
  readonly random: Random;
  readonly log: Log;
}

const LOOK_EVERY_MS = 300;
/** Maximum number of open sockets of a phone: 64 services, and sockets that only ask for tickets. */
const MOST_SOCKETS = 96;
/** Maximum number of services that are open on a phone at the same time (contract 16.3). */
const MOST_SERVICES = 64;

/** Lets the holder of a phone use adb from their own machine: one WebSocket for each adb service (contract 16). */
export class RemoteAdb {
  readonly #tools: RemoteAdbTools;
  readonly #open = new Set<AdbSocket>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: RemoteAdbTools) {
    this.#tools = tools;
  }

  /**
   * Issues a ticket for one connection to a phone. Rejects with `not_found` if the phone is unknown or hidden,
   * `no_such_source` if it has no adb, and `device_not_yours` if the caller neither leases it nor owns its session.
   */
  async issue(caller: Caller, udid: string): Promise<IssuedTicket> {
    const device = this.#tools.deviceControl.seen(caller, udid);
    this.#checkSource(device);
    const refused = refusalToUseAdb(this.#tools.lab, caller, udid);
    if (refused !== null) throw new Refusal('device_not_yours', refused);
    return await this.#tools.tickets.issue(caller, { audience: 'svc-adb', resource: udid });
  }

  /**
   * Admits a sender whose ticket or hub token is already verified. Checks the right again, because it may have ended
   * since the ticket was issued. Throws `invalid ticket`, `no_such_source`, or `overloaded` if the phone has too many
   * sockets.
   */
  admit(udid: string, sender: Sender): AdmittedAdb {
    const { lab } = this.#tools;
    const caller = sender.kind === 'caller' ? sender.caller : null;
    if (sender.kind === 'scraper') throw new TypeError('a metrics token cannot open adb');
    const refused = caller === null ? null : refusalToUseAdb(lab, caller, udid);
    if (refused !== null) throw new Refusal('invalid ticket', `ticket: ${refused}`);
    const device = lab.devices.byUdid(udid);
    if (device === undefined || (caller === null && device.node !== null))
      throw new Refusal('not_found', 'unknown device');
    this.#checkSource(device);
    if (this.#socketsOf(udid).length >= MOST_SOCKETS) throw new Refusal('overloaded', 'too many adb sockets');
    return { caller, device };
  }

  /** Serves an open socket until it closes, its caller loses the right to the phone, or the phone goes away. */
  open(socket: WebSocket, { caller, device }: AdmittedAdb): void {
    const { adb, nodeAdb, random, users } = this.#tools;
    const { udid } = device;
    const tools: AdbSocketTools = {
      address: adb.address,
      nodeAdb,
      nextId: () => random.uuid(),
      hasRoom: () => this.#socketsOf(udid).filter((each) => each.hasService).length < MOST_SERVICES,
      ticket: caller === null ? null : () => this.issue(caller, udid),
      acceptedBy: (id) => this.#acceptedBy(id, udid, caller),
    };
    const opened: OpenAdb = { socket, device, caller };
    const served = new AdbSocket(opened, tools);
    const leaveUse = caller === null ? null : this.#begin(served, caller, udid, users);
    if (leaveUse === undefined) return;
    const handle =
      caller === null
        ? null
        : this.#tools.openConnections.add({
            caller,
            refusal: (now) => refusalToUseAdb(this.#tools.lab, now, udid),
            close: ({ kind, reason }) => served.end(kind, reason),
          });
    this.#open.add(served);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    socket.once('close', () => {
      this.#open.delete(served);
      handle?.forget();
      leaveUse?.();
      if (this.#open.size === 0) this.#timer = void clearInterval(this.#timer);
    });
    served.serve();
  }

  /** Returns who uses adb on the phone now: everyone for an override admin, otherwise the caller's own uses. */
  list(caller: Caller, udid: string): AdbUse[] {
    this.#tools.deviceControl.seen(caller, udid);
    return this.#tools.users.all.filter(
      (use) => use.udid === udid && (isOverrideAdmin(caller) || use.caller.account.id === caller.account.id),
    );
  }

  /** Closes all sockets of a use. A cut is never refused to those who see the use. */
  cut(caller: Caller, udid: string, id: string): void {
    const use = this.list(caller, udid).find((each) => each.id === id);
    if (use === undefined) throw new Refusal('not_found', 'unknown use of adb');
    for (const close of [...use.sockets]) close('the connection was cut');
  }

  close(): void {
    for (const each of [...this.#open]) each.end('gone', 'the server stops');
  }

  /** @returns a function that removes the socket from its use, or undefined if the use could not be recorded */
  #begin(served: AdbSocket, caller: Caller, udid: string, users: AdbUsers): (() => void) | undefined {
    try {
      const { use, leave } = users.begin(caller, udid, (reason) => served.end('refused', reason));
      served.countInto(use, (service) => users.count(use, service));
      return leave;
    } catch (error) {
      this.#tools.log.error('The use of adb could not be recorded, so it was refused', {
        cause: String(error),
      });
      served.end('unverified', 'the use could not be recorded');
      return undefined;
    }
  }

  /** Ends the sockets whose lease, session or phone has ended. No event tells of all of these. */
  #look(): void {
    const { lab, users } = this.#tools;
    for (const each of [...this.#open]) {
      const { caller, device } = each.opened;
      const refused =
        caller === null
          ? lab.devices.statusOf(device.udid) === 'away'
            ? 'the phone is away'
            : null
          : refusalToUseAdb(lab, caller, device.udid);
      if (refused !== null) each.end('refused', refused);
    }
    users.flush();
  }

  #socketsOf(udid: string): AdbSocket[] {
    return [...this.#open].filter(({ opened }) => opened.device.udid === udid);
  }

  /** Finds a waiting connection of a `reverse` of the same phone and account. */
  #acceptedBy(id: string, udid: string, caller: Caller | null) {
    for (const each of this.#socketsOf(udid)) {
      if ((each.opened.caller?.account.id ?? null) !== (caller?.account.id ?? null)) continue;
      const found = each.accepted(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #checkSource({ node, logs }: Device): void {
    const { mode, adb } = this.#tools;
    if (mode === 'off') throw new Refusal('no_such_source', 'SVC_ADB_REMOTE is off');
    if (node === null && !(logs === 'adb' && adb.isOn())) throw new Refusal('no_such_source', 'no adb');
  }
}
