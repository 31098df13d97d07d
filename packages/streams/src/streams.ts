import {
  type Caller,
  type ConnectionHandle,
  type IssuedTicket,
  type Log,
  mayAccess,
  maySeeDevice,
  type OpenConnections,
  Refusal,
  type Sender,
  type Tickets,
} from '@svc/auth-core';
import { DEVICES, type StreamKind } from '@svc/contract';
import type { Device, DeviceControl, DeviceLab, Previews } from '@svc/device-lab';

/** A viewer who is allowed to open a stream, and the device of the stream. */
export interface AdmittedViewer {
  /** The caller, or null if this server is a node and the viewer is its hub, which checks its own callers. */
  readonly caller: Caller | null;
  readonly device: Device;
}

/**
 * Reason why this server ends a stream: the viewer lost access (`refused`), the viewer's access could not be checked
 * (`unverified`), or the device is away or this server stops (`gone`).
 */
type StreamEnd = 'refused' | 'unverified' | 'gone';

interface OpenStream {
  readonly accountId: string | null;
  readonly udid: string;
  /** Team of the device when the viewer's access was last checked, or null for the shared pool. */
  teamId: string | null;
  readonly end: (kind: StreamEnd) => void;
}

interface Tools {
  readonly tickets: Pick<Tickets, 'issue'>;
  readonly openConnections: Pick<OpenConnections, 'add' | 'recheck'>;
  readonly lab: Pick<DeviceLab, 'devices'>;
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly previews: Pick<Previews, 'has' | 'checkRoom' | 'end' | 'close'>;
  readonly log: Log;
}

const LOOK_EVERY_MS = 500;
/** Maximum number of viewers of a device's video. Each of them has its own connection to the source of the video. */
const MOST_VIDEO_VIEWERS = 8;
/** Maximum number of open streams per account, so that one account cannot use up all streams of this server. */
const MOST_OF_ACCOUNT = 100;

/** Checks who may view a device, from the ticket to the end of the stream (specification 5.8, contract 2). */
export class Streams {
  readonly #tools: Tools;
  readonly #open = new Set<OpenStream>();
  readonly #video = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Issues a ticket for the streams of a device.
   * @throws Refusal `not_found` if the device is unknown or hidden from the caller
   */
  async issue(caller: Caller, udid: string): Promise<IssuedTicket> {
    this.#tools.deviceControl.seen(caller, udid);
    return await this.#tools.tickets.issue(caller, { audience: 'svc-stream', resource: udid });
  }

  /**
   * Admits a viewer whose credential, ticket or hub token is already verified. Throws `invalid ticket` if the holder of
   * the ticket has lost access to the device, `not_found` if the device is unknown or hidden from the viewer,
   * `no_such_source` if the device has no such stream, and `overloaded` if there are too many viewers.
   */
  admit(kind: StreamKind, udid: string, sender: Sender): AdmittedViewer {
    switch (sender.kind) {
      case 'hub':
        return this.#admitHub(kind, udid);
      case 'caller':
        return this.#admitCaller(kind, udid, sender);
      case 'scraper':
        throw new TypeError('a metrics token cannot open a stream');
    }
  }

  /**
   * Admits a caller. If the caller presented a ticket, first checks the access to the device again, because the caller
   * may have lost it since the ticket was issued.
   */
  #admitCaller(
    kind: StreamKind,
    udid: string,
    { caller, ticket }: Extract<Sender, { kind: 'caller' }>,
  ): AdmittedViewer {
    const refused = ticket === null ? null : this.#refusal(caller, udid);
    if (refused !== null) throw new Refusal('invalid ticket', `ticket: ${refused}`);
    const device = this.#tools.deviceControl.seen(caller, udid);
    this.#checkSource(kind, device);
    if (this.#openOf(caller) >= MOST_OF_ACCOUNT)
      throw new Refusal('overloaded', 'too many streams of one account');
    this.#tools.previews.checkRoom(udid);
    return { caller, device };
  }

  /** Admits the hub, which may view only this server's own devices and not those of other nodes. */
  #admitHub(kind: StreamKind, udid: string): AdmittedViewer {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined || device.node !== null) throw new Refusal('not_found', 'unknown device');
    this.#checkSource(kind, device);
    this.#tools.previews.checkRoom(udid);
    return { caller: null, device };
  }

  /**
   * Registers an open stream. Calls `end` when the viewer loses access to the device, or when the device is away (no
   * longer reported by its source).
   * @returns a function that removes the registration
   */
  keep({ caller, device }: AdmittedViewer, kind: StreamKind, end: (kind: StreamEnd) => void): () => void {
    const { udid, teamId } = device;
    const handle = caller === null ? null : this.#watch(caller, udid, end);
    const stream: OpenStream = { accountId: caller?.account.id ?? null, udid, teamId, end };
    this.#open.add(stream);
    if (kind === 'video') this.#video.set(udid, (this.#video.get(udid) ?? 0) + 1);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    return () => {
      handle?.forget();
      if (!this.#open.delete(stream)) return;
      if (kind === 'video') this.#video.set(udid, (this.#video.get(udid) ?? 1) - 1);
      if (this.#open.size === 0) this.#timer = void clearInterval(this.#timer);
    };
  }

  /** Ends all streams. Call this when the server stops. */
  close(): void {
    for (const { end } of [...this.#open]) end('gone');
    this.#tools.previews.close();
  }

  #watch(caller: Caller, udid: string, end: (kind: StreamEnd) => void): ConnectionHandle {
    return this.#tools.openConnections.add({
      caller,
      refusal: (now) => this.#refusal(now, udid),
      close: (closing) => {
        this.#tools.log.warn(`Stream closed: ${closing.reason}`, { device: udid, caller: caller.account.id });
        end(closing.kind);
      },
    });
  }

  /**
   * Ends the streams of devices that are away, and rechecks open connections if a device has changed teams. This method
   * is called at intervals, because no event tells that a device has gone away or changed teams.
   */
  #look(): void {
    let moved = false;
    for (const stream of [...this.#open]) {
      const { udid, teamId, end } = stream;
      const now = this.#tools.lab.devices.byUdid(udid)?.teamId;
      if (this.#isAway(udid)) {
        end('gone');
        this.#tools.previews.end(udid);
      } else if (now !== teamId) {
        // Without this, every later call would see a changed team again and recheck all open connections, which is
        // expensive.
        if (now !== undefined) stream.teamId = now;
        moved = true;
      }
    }
    if (moved) this.#tools.openConnections.recheck();
  }

  #openOf({ account }: Caller): number {
    let count = 0;
    for (const { accountId } of this.#open) if (accountId === account.id) count += 1;
    return count;
  }

  #isAway(udid: string): boolean {
    return this.#tools.lab.devices.statusOf(udid) === 'away';
  }

  #checkSource(kind: StreamKind, device: Device): void {
    const { udid } = device;
    if (this.#isAway(udid) || !this.#tools.previews.has(kind, device)) throw new Refusal('no_such_source');
    if (kind === 'video' && (this.#video.get(udid) ?? 0) >= MOST_VIDEO_VIEWERS)
      throw new Refusal('overloaded', 'too many viewers');
  }

  #refusal(caller: Caller, udid: string): string | null {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined) return 'the device is gone';
    if (!maySeeDevice(caller, device.teamId)) return 'the device is hidden from the caller now';
    return mayAccess(caller, DEVICES) ? null : 'the scope is gone';
  }
}
