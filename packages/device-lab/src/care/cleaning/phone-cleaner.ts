import type { Stores } from '@svc/auth-core';
import type { Admission } from '../../admission.ts';
import type { Device } from '../../device.ts';
import type { Devices } from '../../devices.ts';
import type { DriverSession, DriverSessionChange } from '../../driver-session.ts';
import { cleanPhone } from './clean-phone.ts';
import { type CleaningPreview, CleaningPreviews } from './cleaning-preview.ts';
import type { SessionClean } from './cleaning-store.ts';
import { type HubHolders, hubHolder, type Lent } from './phone-holders.ts';
import { type Holding, type HoldingTools, PhoneHoldings } from './phone-holdings.ts';

interface Tools extends HoldingTools {
  readonly stores: Pick<Stores, 'transaction'>;
  readonly lab: {
    readonly devices: Devices;
    changeSession(id: string, change: DriverSessionChange): void;
    holdOnHost(udid: string): Promise<boolean>;
    onStart(report: (started: DriverSession) => void): void;
  };
  /** The same holders if this server is a node, otherwise null. */
  readonly ofHub: HubHolders | null;
  readonly care: {
    on(udid: string): { readonly reason: string; readonly byId: string | null } | null;
    putOut(udid: string, reason: string, until: number | null): boolean;
    putBack(udid: string, why: string): boolean;
  };
}

/** Listener for what the records of sessions say about the cleaning after them. It must not throw. */
type CleanListener = (sessionIds: readonly string[], clean: SessionClean) => void;
type FromHub = Pick<NonNullable<Admission['fromHub']>, 'holderId' | 'isLeased'>;
type BeginOf = Pick<Admission, 'caller' | 'keep' | 'fromHub'>;

/** Time (ms) for which a phone stays as it is after a session, so that its owner can start another session. */
const NEXT_SESSION_MS = 5_000;
const ATTEMPTS = 3;
const NEXT_ATTEMPT_MS = 2_000;
const AGAIN_AFTER_FAILURE_MS = 5 * 60_000;
/** Longest time (ms) that a create-session request of the hub waits until its phone is clean. */
const LONGEST_WAIT_MS = 60_000;
/** Longest time (ms) that a request of the hub without a session waits, which is less than the hub waits for it. */
const LEND_WAIT_MS = 4_000;
const MOST_SESSIONS = 50;
const MOST_AT_ONCE = 4;
const NOT_CLEANED = 'it could not be cleaned: ';

/**
 * Cleans the adb phones of this host between two holders, which are the owners of sessions and of leases (contract
 * 17.3). What is on a phone is read before its holder can use it, and stored, so that the phone is cleaned even after
 * the server was killed. Until it is clean, only the same holder can take it.
 */
export class PhoneCleaner {
  readonly #tools: Tools;
  readonly #holdings: PhoneHoldings;
  readonly #waiting = new Set<() => void>();
  readonly #listeners: CleanListener[] = [];
  readonly #previews: CleaningPreviews;
  #running = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#previews = new CleaningPreviews(tools.shell);
    // After a restart, the owner of the last session cannot continue, because all sessions have ended.
    this.#holdings = new PhoneHoldings(
      tools,
      (udid) => tools.care.on(udid)?.reason.startsWith(NOT_CLEANED) ?? false,
    );
    tools.lab.onStart((session) => this.#sessionStarted(session));
    tools.holders.onChange((lent) => this.#lentChanged(lent));
  }

  /**
   * Called when a phone was reserved for a session. Reads what is on the phone, unless this is known because the session
   * belongs to the phone's present holder. Never rejects.
   */
  async begin(device: Device, { caller, keep, fromHub }: BeginOf): Promise<void> {
    const { udid } = device;
    const holderId = this.#tools.holders.of(udid) ?? fromHub?.holderId ?? caller?.account.id ?? null;
    await this.#holdings.read(udid);
    if (this.#holdings.get(udid) === undefined) await this.#holdings.hold(device, holderId);
    const holding = this.#holdings.get(udid);
    if (holding === undefined) return;
    holding.dueAt = null;
    const { row } = holding;
    if (keep === true && !row.isKept) this.#holdings.save(holding, { ...row, isKept: true });
  }

  /**
   * Called on a node before a create-session request of its hub. Resolves when the holder can take the phone: it is clean,
   * or has only what this holder left on it. Also resolves when that takes too long.
   */
  async cleaned(udid: string, { holderId = null, isLeased = false }: FromHub): Promise<void> {
    this.#tools.ofHub?.learn(udid, isLeased ? holderId : null);
    await this.#takeable(udid, holderId, LONGEST_WAIT_MS);
  }

  /**
   * Called on a node before its hub uses a phone without a session. Reads what is on a phone that is leased.
   * @returns whether the phone can be used, because it is clean or belongs to the holder of the lease
   */
  async lend(udid: string, lessee: string | null): Promise<boolean> {
    const { ofHub, lab } = this.#tools;
    const device = lab.devices.byUdid(udid);
    if (ofHub === null || device === undefined || lessee === null) return true;
    const holderId = hubHolder(lessee);
    ofHub.learn(udid, holderId);
    if (!(await this.#takeable(udid, holderId, LEND_WAIT_MS))) return false;
    await this.#holdings.read(udid);
    if (this.#holdings.get(udid) === undefined) await this.#holdings.hold(device, holderId);
    return true;
  }

  async #takeable(udid: string, holderId: string | null, ms: number): Promise<boolean> {
    const { lab, clock } = this.#tools;
    const until = clock.now() + ms;
    for (;;) {
      const uncleaned = lab.devices.uncleanedOf(udid);
      if (lab.devices.isHeld(udid) || uncleaned === undefined || uncleaned.state === 'failed') return true;
      const isOwn = holderId !== null && uncleaned.holderId === holderId && uncleaned.state !== 'cleaning';
      if (isOwn) return true;
      if (clock.now() >= until) return false;
      lab.devices.want(udid);
      await new Promise<void>((look) => this.#waiting.add(look));
    }
  }

  /** @returns what a cleaning would remove now, or null if the lab does not clean the phone */
  async planFor(udid: string): Promise<CleaningPreview | null> {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined || device.node !== null || device.logs !== 'adb') return null;
    return await this.#previews.planFor(udid, this.#holdings.get(udid)?.row);
  }

  /** Adds a listener that is called whenever the cleaning after a session begins to be due, has ended or has failed. */
  onClean(listener: CleanListener): void {
    this.#listeners.push(listener);
  }

  /** Begins the cleanings that are due. Called every second. */
  sweep(): void {
    const now = this.#tools.clock.now();
    for (const holding of this.#holdings.values()) this.#check(holding, now);
    for (const look of this.#waiting) look();
    this.#waiting.clear();
  }

  #check(holding: Holding, now: number): void {
    const { row, isCleaning } = holding;
    const { devices } = this.#tools.lab;
    if (isCleaning || this.#holdings.isReading(row.udid)) return;
    if (this.#holdings.isLeased(row) && !holding.hasFailed) {
      this.#holdings.setState(row, 'leased');
      holding.dueAt = null;
      return;
    }
    if (devices.isHeld(row.udid)) {
      holding.dueAt = null;
      return;
    }
    holding.dueAt ??= now + this.#graceOf(holding);
    const isPutBack = holding.hasFailed && this.#tools.care.on(row.udid) === null;
    const isDue = holding.dueAt <= now || devices.isWanted(row.udid) || isPutBack;
    if (devices.sourceOf(row.udid) === null || !isDue || this.#running >= MOST_AT_ONCE) return;
    void this.#clean(holding);
  }

  /** A session of the same account may follow within some seconds. It finds the phone as the last session left it. */
  #graceOf({ row }: Holding): number {
    const state = this.#tools.lab.devices.uncleanedOf(row.udid)?.state;
    return state === 'waiting' && row.holderId !== null && row.sessions.length > 0 ? NEXT_SESSION_MS : 0;
  }

  #lentChanged({ udid, ownerId }: Lent): void {
    const device = this.#tools.lab.devices.byUdid(udid);
    const holding = this.#holdings.get(udid);
    const isLeased = this.#holdings.isLeased({ udid, holderId: ownerId });
    if (holding !== undefined && !holding.hasFailed && !holding.isCleaning) {
      const isKept = this.#holdings.isLeased(holding.row);
      this.#holdings.setState(holding.row, isKept ? 'leased' : 'waiting');
      if (isKept) holding.dueAt = null;
    } else if (holding === undefined && isLeased && device !== undefined)
      void this.#holdings.hold(device, ownerId);
  }

  #sessionStarted({ id, device }: DriverSession): void {
    const holding = device === null ? undefined : this.#holdings.get(device.udid);
    if (holding === undefined) return;
    const sessions = [...holding.row.sessions, id].slice(-MOST_SESSIONS);
    this.#holdings.save(holding, { ...holding.row, sessions });
    // The change is published after the start of the session.
    queueMicrotask(() => this.#tell([id], { state: 'pending', removed: [], at: null }));
  }

  /** Cleans a phone once. Never rejects. */
  async #clean(holding: Holding): Promise<void> {
    const { row } = holding;
    const { clock, shell } = this.#tools;
    if (row.isKept) return this.#end(holding, { state: 'kept', removed: [], at: clock.now() });
    if (row.before === null) {
      this.#fail(holding, 'what was on it before is not known', []);
      return this.#end(holding, null);
    }
    holding.isCleaning = true;
    this.#running += 1;
    this.#holdings.setState(row, 'cleaning');
    try {
      // Another server that shares the adb server may have given the phone to someone while this server was stopped.
      if (!(await this.#tools.lab.holdOnHost(row.udid))) return;
      const { removed, left } = await cleanPhone(shell, row.udid, row.mode, row.before);
      if (left !== null) this.#tryAgain(holding, `${left} is still on it`, removed);
      else this.#end(holding, { state: 'cleaned', removed, at: clock.now() });
    } catch (error) {
      this.#tryAgain(holding, error instanceof Error ? error.message : String(error), []);
    } finally {
      holding.isCleaning = false;
      this.#running -= 1;
    }
  }

  #tryAgain(holding: Holding, reason: string, removed: readonly string[]): void {
    const { lab, clock } = this.#tools;
    // A phone that left the lab is cleaned when it is back.
    if (lab.devices.sourceOf(holding.row.udid) === null) return;
    holding.attempts += 1;
    holding.dueAt = clock.now() + NEXT_ATTEMPT_MS;
    if (holding.attempts >= ATTEMPTS) this.#fail(holding, reason, removed);
  }

  #fail(holding: Holding, reason: string, removed: readonly string[]): void {
    const { care, clock, log } = this.#tools;
    const { udid, sessions } = holding.row;
    holding.attempts = 0;
    holding.hasFailed = true;
    holding.dueAt = clock.now() + AGAIN_AFTER_FAILURE_MS;
    const text = `${NOT_CLEANED}${reason}`.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200);
    log.warn('A phone could not be cleaned and is out of service', { device: udid, cause: text });
    try {
      care.putOut(udid, text, null);
    } catch (error) {
      log.error('A phone could not be put out of service', { device: udid, cause: String(error) });
    }
    this.#holdings.setState(holding.row, 'failed');
    this.#tell(sessions, { state: 'failed', removed, at: clock.now() });
  }

  /** Frees a phone, and stores `clean` with the sessions of its holder, unless it is null. */
  #end({ row }: Holding, clean: SessionClean | null): void {
    const { store, stores, care, lab, log } = this.#tools;
    const { udid, sessions } = row;
    try {
      stores.transaction(() => {
        store.remove(udid);
        if (clean !== null) for (const id of sessions) lab.changeSession(id, { clean });
      });
    } catch (error) {
      // The phone stays busy and is cleaned again, because it would be cleaned after a restart, too.
      log.error('The cleaning of a phone could not be stored', { device: udid, cause: String(error) });
      return;
    }
    this.#holdings.delete(udid);
    if (clean !== null) for (const tell of this.#listeners) tell(sessions, clean);
    if (clean !== null && care.on(udid)?.reason.startsWith(NOT_CLEANED)) care.putBack(udid, 'it was cleaned');
    lab.devices.setUncleaned(udid, null);
  }

  #tell(sessions: readonly string[], clean: SessionClean): void {
    for (const tell of this.#listeners) tell(sessions, clean);
    try {
      for (const id of sessions) this.#tools.lab.changeSession(id, { clean });
    } catch (error) {
      this.#tools.log.warn('The cleaning of a phone could not be stored', { cause: String(error) });
    }
  }
}
