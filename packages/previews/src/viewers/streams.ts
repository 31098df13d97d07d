import {
  type Caller,
  type IssuedTicket,
  type Log,
  mayAccess,
  Refusal,
  type Sender,
  type Tickets,
} from '@svc/auth-core';
import { DEVICES, type StreamKind } from '@svc/contract';
import {
  type Device,
  type DeviceControl,
  type DeviceLab,
  maySeeDevice,
  refusalToDrive,
  refusalToSee,
} from '@svc/device-lab';
import type { ConnectionHandle, OpenConnections } from '@svc/module';
import type { Previews } from '../relays/previews.ts';

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
  readonly kind: StreamKind;
  /** Team of the device when the viewer's access was last checked, or null for the shared pool. */
  teamId: string | null;
  /** Session on the device when the viewer's access was last checked, or null if there was none. */
  sessionId: string | null;
  readonly end: (kind: StreamEnd) => void;
}

/** Who sees the picture of a phone on which a session runs: everyone who sees the phone, or who may drive it. */
export type PreviewMode = 'all' | 'own';

interface Tools {
  /** Value of the setting `SVC_PREVIEW`. */
  readonly mode: PreviewMode;
  readonly tickets: Pick<Tickets, 'issue'>;
  readonly openConnections: Pick<OpenConnections, 'add' | 'recheck'>;
  readonly lab: Pick<DeviceLab, 'devices' | 'sessions' | 'onStart'>;
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly previews: Pick<Previews, 'has' | 'checkRoom' | 'end' | 'close'>;
  readonly log: Log;
}

const HIDDEN = "the picture of somebody else's session is hidden (SVC_PREVIEW)";
const LOOK_EVERY_MS = 500;
/** Maximum number of viewers of a device's video. Each of them has its own connection to the source of the video. */
const MOST_VIDEO_VIEWERS = 8;
/** Maximum number of open streams per account, so that one account cannot use up all streams of this server. */
const MOST_OF_ACCOUNT = 100;
/** Maximum number of open streams of one account and device, and how many of them may be video. */
const MOST_OF_ACCOUNT_AND_DEVICE = { all: 8, video: 4 } as const;
/**
 * Places of each device that are kept for callers who may drive its session, so that other viewers cannot shut them
 * out.
 */
const KEPT_FOR_DRIVERS = { all: 4, video: 2 } as const;

/** Checks who may view a device, from the ticket to the end of the stream (specification 5.8, contract 2). */
export class Streams {
  readonly #tools: Tools;
  readonly #open = new Set<OpenStream>();
  readonly #video = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
    if (tools.mode === 'own') tools.lab.onStart(() => this.#look());
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
    const refused = ticket === null ? null : this.#refusal(caller, udid, 'lines');
    if (refused !== null) throw new Refusal('invalid ticket', `ticket: ${refused}`);
    const device = this.#tools.deviceControl.seen(caller, udid);
    this.#checkSource(kind, device);
    if (this.hidesPicture(caller, kind, udid)) throw new Refusal('no_such_source', HIDDEN);
    this.#checkAccount(kind, udid, caller);
    const mayDrive = this.#mayDrive(caller, udid);
    if (kind === 'video') this.#checkVideo(udid, mayDrive ? 0 : KEPT_FOR_DRIVERS.video);
    this.#tools.previews.checkRoom(udid, mayDrive ? 0 : KEPT_FOR_DRIVERS.all);
    return { caller, device };
  }

  /** Admits the hub, which may view only this server's own devices and not those of other nodes. */
  #admitHub(kind: StreamKind, udid: string): AdmittedViewer {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined || device.node !== null) throw new Refusal('not_found', 'unknown device');
    this.#checkSource(kind, device);
    if (kind === 'video') this.#checkVideo(udid, 0);
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
    const handle = caller === null ? null : this.#watch(caller, udid, kind, end);
    const sessionId = this.#tools.lab.sessions.runningOn(udid)?.id ?? null;
    const stream: OpenStream = {
      accountId: caller?.account.id ?? null,
      ...{ udid, kind, teamId, sessionId, end },
    };
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

  #watch(caller: Caller, udid: string, kind: StreamKind, end: (kind: StreamEnd) => void): ConnectionHandle {
    return this.#tools.openConnections.add({
      caller,
      refusal: (now) => this.#refusal(now, udid, kind),
      close: (closing) => {
        this.#tools.log.warn(`Stream closed: ${closing.reason}`, { device: udid, caller: caller.account.id });
        end(closing.kind);
      },
    });
  }

  /**
   * Ends the streams of devices that are away, and rechecks open connections if a device has changed teams, or if
   * another session runs on it and its picture is only for its owner. This method is called at intervals, because no
   * event tells that a device has gone away or changed teams.
   */
  #look(): void {
    let moved = false;
    for (const stream of [...this.#open]) {
      const { udid, teamId, end } = stream;
      const now = this.#tools.lab.devices.byUdid(udid)?.teamId;
      if (this.#isAway(udid)) {
        end('gone');
        this.#tools.previews.end(udid);
        continue;
      }
      const sessionId =
        this.#tools.mode === 'own'
          ? (this.#tools.lab.sessions.runningOn(udid)?.id ?? null)
          : stream.sessionId;
      if (now !== teamId || sessionId !== stream.sessionId) {
        stream.sessionId = sessionId;
        // Without this, every later call would see a changed team again and recheck all open connections, which is
        // expensive.
        if (now !== undefined) stream.teamId = now;
        moved = true;
      }
    }
    if (moved) this.#tools.openConnections.recheck();
  }

  /** Throws `overloaded` if the caller's account has too many open streams, together or of this device. */
  #checkAccount(kind: StreamKind, udid: string, { account }: Caller): void {
    const { all, video } = MOST_OF_ACCOUNT_AND_DEVICE;
    const open = { all: 0, device: 0, video: 0 };
    for (const each of this.#open) {
      if (each.accountId !== account.id) continue;
      open.all += 1;
      if (each.udid !== udid) continue;
      open.device += 1;
      if (each.kind === 'video') open.video += 1;
    }
    if (open.all >= MOST_OF_ACCOUNT || open.device >= all || (kind === 'video' && open.video >= video))
      throw new Refusal('overloaded', 'too many streams of one account');
  }

  /** Returns whether a stream shows the picture of somebody else's session that only its owner may see. */
  hidesPicture(caller: Caller, kind: StreamKind, udid: string): boolean {
    if (this.#tools.mode === 'all' || kind === 'lines') return false;
    const session = this.#tools.lab.sessions.runningOn(udid);
    return session !== undefined && refusalToSee(caller, session.ownerId) !== null;
  }

  #mayDrive(caller: Caller, udid: string): boolean {
    return refusalToDrive(caller, this.#tools.lab.sessions.runningOn(udid)?.ownerId) === null;
  }

  /** Throws `overloaded` if the device's video has no place, apart from those that are kept for others. */
  #checkVideo(udid: string, kept: number): void {
    if ((this.#video.get(udid) ?? 0) >= MOST_VIDEO_VIEWERS - kept)
      throw new Refusal('overloaded', 'too many viewers');
  }

  #isAway(udid: string): boolean {
    return this.#tools.lab.devices.statusOf(udid) === 'away';
  }

  #checkSource(kind: StreamKind, device: Device): void {
    const { udid } = device;
    if (this.#isAway(udid) || !this.#tools.previews.has(kind, device)) throw new Refusal('no_such_source');
  }

  #refusal(caller: Caller, udid: string, kind: StreamKind): string | null {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined) return 'the device is gone';
    if (!maySeeDevice(caller, device.teamId)) return 'the device is hidden from the caller now';
    if (this.hidesPicture(caller, kind, udid)) return HIDDEN;
    return mayAccess(caller, DEVICES) ? null : 'the scope is gone';
  }
}
