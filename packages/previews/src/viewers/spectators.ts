import {
  type Audit,
  actorOf,
  type Caller,
  type Clock,
  newOpaqueSecret,
  origin,
  type Random,
  Refusal,
  type RequestOrigin,
  type Stores,
  secretHash,
} from '@svc/auth-core';
import type { SpectatorMode } from '@svc/contract';
import {
  type Device,
  type DeviceControl,
  type DeviceLab,
  type HeldLeases,
  maySeeDevice,
  refusalToDrive,
} from '@svc/device-lab';
import type { ConnectionHandle, OpenConnections } from '@svc/module';
import type { Previews } from '../relays/previews.ts';
import type { PreviewMode } from './streams.ts';
import { isInAudience, type Spectator, type SpectatorAudience, type WatchLink } from './watch-link.ts';

interface Held {
  readonly link: WatchLink;
  readonly hash: string;
  readonly handle: ConnectionHandle;
  readonly spectators: Map<Spectator, () => void>;
  /** Ids of the accounts whose streams were cut. */
  readonly cut: Set<string>;
}

interface Tools {
  readonly mode: SpectatorMode;
  /** With `own`, the picture of a session is shown by its owner alone, not by the holder of the phone's lease. */
  readonly preview: PreviewMode;
  readonly lab: Pick<DeviceLab, 'devices' | 'sessions' | 'onStart' | 'onEnd'>;
  readonly leases: Pick<HeldLeases, 'on'>;
  readonly deviceControl: Pick<DeviceControl, 'seen'>;
  readonly previews: Pick<Previews, 'has' | 'checkRoom'>;
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly stores: Pick<Stores, 'accounts' | 'teams' | 'transaction'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
}

const MINUTE_MS = 60_000;
/** Maximum number of links of a phone, and of open streams of spectators of a phone. */
const MOST_LINKS = 8;
const MOST_SPECTATORS = 8;
/** Time (ms) within which a ticket must be used. */
const TICKET_MS = 30_000;
/**
 * Maximum number of unused tickets of one link. The oldest is dropped, so that viewers of a link can neither fill the
 * memory nor drop the tickets of other links.
 */
const MOST_TICKETS = 64;

/** A stream that a ticket opens. */
export interface AdmittedSpectator {
  readonly device: Device;
  /** Registers the open stream. `end` is called when it must end. Returns a function that removes it. */
  keep(end: () => void): () => void;
}

interface Ticket {
  readonly hash: string;
  readonly viewer: Caller | null;
  readonly from: RequestOrigin;
  readonly until: number;
}

/**
 * Links with which the holder of a lease or session shows the screen of the phone to others. Links and their streams
 * end with their minutes, with the lease or session, with the credential of the holder, when the holder cuts them, and
 * when this server stops, because they are kept in memory alone.
 */
export class Spectators {
  readonly #tools: Tools;
  readonly #byHash = new Map<string, Held>();
  readonly #tickets = new Map<string, Ticket>();

  constructor(tools: Tools) {
    this.#tools = tools;
    if (tools.preview === 'own') tools.lab.onStart(() => this.sweep());
    tools.lab.onEnd(() => this.sweep());
  }

  /** Makes a link. Only this result contains its secret. */
  create(
    caller: Caller,
    udid: string,
    { minutes, audience }: { minutes: number; audience: SpectatorAudience },
  ): { link: WatchLink; secret: string } {
    const { mode, deviceControl, connections, stores, audit, clock, random } = this.#tools;
    deviceControl.seen(caller, udid);
    if (mode === 'off' || (audience.kind === 'anyone' && mode !== 'anyone'))
      throw new Refusal('spectators_off', `SVC_SPECTATORS is ${mode}`);
    if (!this.#isHolder(caller, udid)) throw new Refusal('device_not_yours', 'neither lease nor session');
    if (audience.kind === 'team' && !caller.account.teams.some(({ id }) => id === audience.id))
      throw new Refusal('unknown_team', 'not a team of the caller');
    this.sweep();
    if (this.#of(udid).length >= MOST_LINKS)
      throw new Refusal('too_many', 'links of the phone', { limit: MOST_LINKS });
    const secret = newOpaqueSecret(random);
    const createdAt = clock.now();
    const wanted = createdAt + minutes * MINUTE_MS;
    const expiresAt = caller.grantsUntil === null ? wanted : Math.min(wanted, caller.grantsUntil);
    const link: WatchLink = { id: random.uuid(), udid, audience, createdAt, expiresAt };
    const reason = `link ${link.id} for ${audience.kind} until ${new Date(expiresAt).toISOString()}`;
    stores.transaction((tx) =>
      audit.record(tx, 'spectator_link_created', { ...actorOf(caller), target: udid, reason }),
    );
    const handle = connections.add({
      caller,
      refusal: (now) => (this.#isHolder(now, udid) ? null : 'neither lease nor session any more'),
      close: ({ reason: why }) => this.#end(held, why),
    });
    const held: Held = { link, hash: secretHash(secret), handle, spectators: new Map(), cut: new Set() };
    this.#byHash.set(held.hash, held);
    return { link, secret };
  }

  /** Returns the links of a phone with the spectators who watch now. */
  list(caller: Caller, udid: string): { link: WatchLink; spectators: Spectator[] }[] {
    this.checkHolder(caller, udid);
    this.sweep();
    return this.#of(udid).map(({ link, spectators }) => ({ link, spectators: [...spectators.keys()] }));
  }

  /** Ends a link and all its streams. */
  end(caller: Caller, udid: string, watchId: string): void {
    this.#end(this.#found(caller, udid, watchId), 'ended by its holder', actorOf(caller));
  }

  /**
   * Ends one stream. An account whose stream was cut cannot open the link again. A spectator without an account can,
   * because the server cannot tell one from another.
   */
  cut(caller: Caller, udid: string, { watchId, viewerId }: { watchId: string; viewerId: string }): void {
    const { spectators, cut } = this.#found(caller, udid, watchId);
    const found = [...spectators].find(([{ id }]) => id === viewerId);
    if (found === undefined) throw new Refusal('not_found', 'unknown spectator');
    const reason = `link ${watchId}: stream ${viewerId} cut`;
    this.#tools.audit.recordBestEffort('spectator_cut', { ...actorOf(caller), target: udid, reason });
    const [{ account }, end] = found;
    if (account !== null) cut.add(account.id);
    end();
  }

  /**
   * Throws `not_found` for a phone that is unknown or hidden, and `device_not_yours` if the caller does not hold it.
   */
  checkHolder(caller: Caller, udid: string): void {
    this.#tools.deviceControl.seen(caller, udid);
    if (!this.#isHolder(caller, udid)) throw new Refusal('device_not_yours', 'neither lease nor session');
  }

  /**
   * Opens a link: checks it and issues a ticket for one stream. `viewer` is null for a client without a credential,
   * which only links for anybody admit. Every other link is `not_found` then, like an unknown one.
   */
  open(secret: string, viewer: Caller | null, from: RequestOrigin) {
    const { clock, random, lab } = this.#tools;
    const held = this.#byHash.get(secretHash(secret));
    if (held === undefined || !this.#admits(held, viewer)) throw new Refusal('not_found', 'unknown link');
    const ticket = newOpaqueSecret(random);
    const waiting = [...this.#tickets].filter(([, { hash }]) => hash === held.hash);
    if (waiting.length >= MOST_TICKETS) this.#tickets.delete(waiting[0]?.[0] ?? '');
    this.#tickets.set(secretHash(ticket), { hash: held.hash, viewer, from, until: clock.now() + TICKET_MS });
    const { udid, expiresAt } = held.link;
    return { ticket, name: lab.devices.byUdid(udid)?.name ?? udid, expiresAt };
  }

  /** Admits the stream of a ticket, which works once. Checks the link and the viewer again. */
  admit(ticket: string): AdmittedSpectator {
    const { clock, previews, lab } = this.#tools;
    const key = secretHash(ticket);
    const found = this.#tickets.get(key);
    this.#tickets.delete(key);
    const held = found === undefined ? undefined : this.#byHash.get(found.hash);
    if (found === undefined || held === undefined || found.until <= clock.now())
      throw new Refusal('invalid ticket', 'ticket of a spectator');
    const viewer = found.viewer === null ? null : this.#asOfNow(found.viewer);
    if (viewer === undefined || !this.#admits(held, viewer))
      throw new Refusal('invalid ticket', 'the viewer of a spectator ticket has lost the right');
    const device = lab.devices.byUdid(held.link.udid);
    if (device === undefined || !previews.has('frames', device)) throw new Refusal('no_such_source');
    const watching = this.#of(device.udid).reduce((sum, { spectators }) => sum + spectators.size, 0);
    if (watching >= MOST_SPECTATORS) throw new Refusal('overloaded', 'too many spectators');
    previews.checkRoom(device.udid);
    return { device, keep: (end) => this.#keep(held, { ...found, viewer }, end) };
  }

  /** @returns the viewer with the current account and scopes, or undefined if their credential is gone */
  #asOfNow(viewer: Caller): Caller | undefined {
    const handle = this.#tools.connections.add({
      caller: viewer,
      refusal: () => null,
      close: () => undefined,
    });
    const now = handle.current() ?? undefined;
    handle.forget();
    return now;
  }

  /** Ends links whose minutes are over or whose holder no longer holds the phone. Called every second. */
  sweep(): void {
    const now = this.#tools.clock.now();
    for (const held of [...this.#byHash.values()]) {
      const isOver = held.link.expiresAt <= now;
      const holder = isOver ? null : held.handle.current();
      if (holder === null || !this.#isHolder(holder, held.link.udid))
        this.#end(held, isOver ? 'its minutes are over' : 'its holder has lost the phone');
    }
    for (const [key, { until }] of this.#tickets) if (until <= now) this.#tickets.delete(key);
  }

  close(): void {
    for (const held of [...this.#byHash.values()]) this.#cutAll(held);
  }

  #keep(held: Held, { viewer, from }: Ticket, end: () => void): () => void {
    const { connections, audit, clock, random } = this.#tools;
    const account = viewer === null ? null : { id: viewer.account.id, email: viewer.account.email };
    const spectator: Spectator = { id: random.uuid(), account, address: from.address, since: clock.now() };
    const { udid, id } = held.link;
    const reason = `link ${id}: stream ${spectator.id}`;
    audit.recordBestEffort('spectator_joined', {
      actor: account?.id ?? null,
      ...origin(from),
      target: udid,
      reason,
    });
    const handle =
      viewer === null
        ? null
        : connections.add({
            caller: viewer,
            refusal: (now) => (this.#admits(held, now) ? null : 'the link is not for this account any more'),
            close: end,
          });
    held.spectators.set(spectator, end);
    return () => {
      handle?.forget();
      held.spectators.delete(spectator);
    };
  }

  #end(held: Held, reason: string, who: Partial<ReturnType<typeof actorOf>> = {}): void {
    if (!this.#byHash.delete(held.hash)) return;
    held.handle.forget();
    this.#cutAll(held);
    const { id, udid } = held.link;
    const details = { ...who, target: udid, reason: `link ${id}: ${reason}` };
    this.#tools.audit.recordBestEffort('spectator_link_ended', details);
  }

  #cutAll({ spectators }: Held): void {
    for (const end of [...spectators.values()]) end();
    spectators.clear();
  }

  #admits({ link: { audience, udid, expiresAt }, cut }: Held, viewer: Caller | null): boolean {
    if (expiresAt <= this.#tools.clock.now()) return false;
    if (audience.kind === 'anyone') return true;
    if (viewer === null || cut.has(viewer.account.id)) return false;
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined || !maySeeDevice(viewer, device.teamId)) return false;
    return isInAudience(viewer, audience);
  }

  #isHolder(caller: Caller, udid: string): boolean {
    const { leases, lab, preview } = this.#tools;
    const device = lab.devices.byUdid(udid);
    if (device === undefined || !maySeeDevice(caller, device.teamId)) return false;
    const session = lab.sessions.runningOn(udid);
    if (preview === 'own' && session !== undefined) return session.ownerId === caller.account.id;
    if (leases.on(udid)?.lease.ownerId === caller.account.id) return true;
    return session !== undefined && refusalToDrive(caller, session.ownerId) === null;
  }

  #of(udid: string): Held[] {
    return [...this.#byHash.values()].filter(({ link }) => link.udid === udid);
  }

  #found(caller: Caller, udid: string, watchId: string): Held {
    this.checkHolder(caller, udid);
    const found = this.#of(udid).find(({ link }) => link.id === watchId);
    if (found === undefined) throw new Refusal('not_found', 'unknown link');
    return found;
  }
}
