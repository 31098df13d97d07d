import {
  type Caller,
  type Clock,
  type IssuedTicket,
  isOverrideAdmin,
  type Log,
  type Random,
  Refusal,
  type Sender,
  type Tickets,
} from '@svc/auth-core';
import type { Device, DeviceControl } from '@svc/device-lab';
import type { ConnectionHandle, OpenConnections } from '@svc/module';
import type { WebSocket } from 'ws';
import { type HolderLab, refusalToUsePhone } from './holder.ts';
import type { NodeSockets } from './node-sockets.ts';
import type { PhoneProgram } from './phone-program.ts';
import type { RemoteUse, RemoteUsers } from './remote-users.ts';
import { type OpenSocket, ServiceSocket, type ServiceSocketTools } from './service-socket.ts';

/** Someone who may use a phone: a caller or, on a node, its hub, which checks its own callers. */
export interface AdmittedUse {
  readonly caller: Caller | null;
  readonly device: Device;
}

interface RemotePhonesTools {
  readonly lab: HolderLab;
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly tickets: Pick<Tickets, 'issue'>;
  readonly openConnections: Pick<OpenConnections, 'add'>;
  readonly users: RemoteUsers;
  readonly program: PhoneProgram;
  /** Who may use phones from elsewhere: no one, or the holders of phones (`SVC_ADB_REMOTE`). */
  readonly mode: 'off' | 'holders';
  readonly nodeSockets: NodeSockets;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const LOOK_EVERY_MS = 300;
/** Maximum number of open sockets of a phone: 64 services, and sockets that only ask for tickets. */
const MOST_SOCKETS = 96;
/** Maximum number of services that are open on a phone at the same time (contract 16.3). */
const MOST_SERVICES = 64;

/**
 * Lets the holder of a phone use the services of its adb server or usbmuxd from their own machine, with one WebSocket
 * for each service (contract 16).
 */
export class RemotePhones {
  readonly #tools: RemotePhonesTools;
  /** Open sockets, each with the check of its caller's credential; null for sockets of a hub. */
  readonly #open = new Map<ServiceSocket, ConnectionHandle | null>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: RemotePhonesTools) {
    this.#tools = tools;
  }

  /**
   * Issues a ticket for one connection to a phone. Rejects with `not_found` if the phone is unknown or hidden,
   * `no_such_source` if its program does not list it, and `device_not_yours` if the caller neither leases it nor owns its session.
   */
  async issue(caller: Caller, udid: string): Promise<IssuedTicket> {
    const device = this.#tools.deviceControl.seen(caller, udid);
    this.#checkSource(device);
    const refused = refusalToUsePhone(this.#tools.lab, caller, udid);
    if (refused !== null) throw new Refusal('device_not_yours', refused);
    return await this.#tools.tickets.issue(caller, {
      audience: `svc-${this.#tools.program.name}`,
      resource: udid,
    });
  }

  /**
   * Admits a sender whose ticket or hub token is already verified. Checks the right again, because it may have ended
   * since the ticket was issued. Rejects with `invalid ticket`, `no_such_source`, or `overloaded` if the phone has too many
   * sockets.
   */
  async admit(udid: string, sender: Sender): Promise<AdmittedUse> {
    const { lab } = this.#tools;
    const caller = sender.kind === 'caller' ? sender.caller : null;
    if (sender.kind === 'scraper') throw new TypeError('a metrics token cannot open a phone');
    const refused = caller === null ? null : refusalToUsePhone(lab, caller, udid);
    if (refused !== null) throw new Refusal('invalid ticket', `ticket: ${refused}`);
    const device = lab.devices.byUdid(udid);
    if (device === undefined || (caller === null && device.node !== null))
      throw new Refusal('not_found', 'unknown device');
    this.#checkSource(device);
    // What is on the phone is read before its holder can change it.
    if (sender.kind === 'hub' && !(await lab.lendToHub(udid, sender.lessee)))
      throw new Refusal('overloaded', 'the phone is being cleaned');
    if (this.#socketsOf(udid).length >= MOST_SOCKETS)
      throw new Refusal('overloaded', 'too many sockets of the phone');
    return { caller, device };
  }

  /** Serves an open socket until it closes, its caller loses the right to the phone, or the phone goes away. */
  open(socket: WebSocket, { caller, device }: AdmittedUse): void {
    const { program, nodeSockets, clock, random, users } = this.#tools;
    const { udid } = device;
    const tools: ServiceSocketTools = {
      program,
      nodeSockets,
      clock,
      nextId: () => random.uuid(),
      hasRoom: () => this.#socketsOf(udid).filter((each) => each.hasService).length < MOST_SERVICES,
      ticket: caller === null ? null : () => this.issue(caller, udid),
      acceptedBy: (id) => this.#acceptedBy(id, udid, caller),
    };
    const opened: OpenSocket = { socket, device, caller };
    const served = new ServiceSocket(opened, tools);
    const leaveUse = caller === null ? null : this.#begin(served, caller, udid, users);
    if (leaveUse === undefined) return;
    const handle =
      caller === null
        ? null
        : this.#tools.openConnections.add({
            caller,
            refusal: (now) => refusalToUsePhone(this.#tools.lab, now, udid),
            close: ({ kind, reason }) => served.end(kind, reason),
          });
    this.#open.set(served, handle);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    socket.once('close', () => {
      this.#open.delete(served);
      handle?.forget();
      leaveUse?.();
      if (this.#open.size === 0) this.#timer = void clearInterval(this.#timer);
    });
    served.serve();
  }

  /** Returns who uses the phone now: everyone for an override admin, otherwise the caller's own uses. */
  list(caller: Caller, udid: string): RemoteUse[] {
    this.#tools.deviceControl.seen(caller, udid);
    return this.#tools.users.all.filter(
      (use) => use.udid === udid && (isOverrideAdmin(caller) || use.caller.account.id === caller.account.id),
    );
  }

  /** Closes all sockets of a use. A cut is never refused to those who see the use. */
  cut(caller: Caller, udid: string, id: string): void {
    const use = this.list(caller, udid).find((each) => each.id === id);
    if (use === undefined) throw new Refusal('not_found', 'unknown use of the phone');
    for (const close of [...use.sockets]) close('the connection was cut');
  }

  close(): void {
    for (const each of [...this.#open.keys()]) each.end('gone', 'the server stops');
  }

  /** @returns a function that removes the socket from its use, or undefined if the use could not be recorded */
  #begin(served: ServiceSocket, caller: Caller, udid: string, users: RemoteUsers): (() => void) | undefined {
    try {
      const { use, leave } = users.begin(caller, udid, (reason) => served.end('refused', reason));
      served.countInto(use, (service) => users.count(use, service));
      return leave;
    } catch (error) {
      this.#tools.log.error('The use of a phone could not be recorded, so it was refused', {
        cause: String(error),
      });
      served.end('unverified', 'the use could not be recorded');
      return undefined;
    }
  }

  /** Ends the sockets whose lease, session or phone has ended. No event tells of all of these. */
  #look(): void {
    const { lab, users } = this.#tools;
    for (const [each, handle] of [...this.#open]) {
      const { device } = each.opened;
      const caller = handle?.current() ?? each.opened.caller;
      const refused =
        caller === null
          ? lab.devices.statusOf(device.udid) === 'away'
            ? 'the phone is away'
            : null
          : refusalToUsePhone(lab, caller, device.udid);
      if (refused !== null) each.end('refused', refused);
    }
    users.flush();
  }

  #socketsOf(udid: string): ServiceSocket[] {
    return [...this.#open.keys()].filter(({ opened }) => opened.device.udid === udid);
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

  #checkSource(device: Device): void {
    const { mode, program } = this.#tools;
    if (mode === 'off') throw new Refusal('no_such_source', 'SVC_ADB_REMOTE is off');
    if (device.node === null && !program.lists(device))
      throw new Refusal('no_such_source', `no ${program.name}`);
  }
}
