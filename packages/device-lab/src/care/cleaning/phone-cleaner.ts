import type { Clock, Log, Stores } from '@svc/auth-core';
import type { Admission } from '../../admission.ts';
import type { Device } from '../../device.ts';
import type { Devices } from '../../devices.ts';
import type { DriverSession, DriverSessionChange } from '../../driver-session.ts';
import { cleanPhone, contentOf, type PhoneShell } from './clean-phone.ts';
import { type PlannedRemoval, planCleaning, reasonsOf } from './cleaning-plan.ts';
import type { CleaningRow, CleaningStore, SessionClean } from './cleaning-store.ts';
import type { PhoneContent, ReadContent } from './phone-content.ts';
import { type HubHolders, hubHolder, type Lent, type PhoneHolders } from './phone-holders.ts';

interface Tools {
  readonly store: CleaningStore;
  readonly stores: Pick<Stores, 'transaction'>;
  readonly lab: {
    readonly devices: Devices;
    changeSession(id: string, change: DriverSessionChange): void;
    holdOnHost(udid: string): Promise<boolean>;
    onStart(report: (started: DriverSession) => void): void;
  };
  /** Who keeps phones for longer than a session. On a node, these are the leases of its hub. */
  readonly holders: PhoneHolders;
  /** The same holders if this server is a node, otherwise null. */
  readonly ofHub: HubHolders | null;
  readonly care: {
    on(udid: string): { readonly reason: string; readonly byId: string | null } | null;
    putOut(udid: string, reason: string, until: number | null): boolean;
    putBack(udid: string, why: string): boolean;
  };
  readonly shell: PhoneShell;
  /** Returns the setting `clean`. Called for each new holder. */
  readonly mode: () => 'off' | 'apps' | 'data';
  /** Whether the lab uses the phones of the adb server now. */
  readonly isOn: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** A holder of a phone, or what the last holder left on it. */
interface Holding {
  row: CleaningRow;
  /** Time (ms since 1970) at which the cleaning begins, or null while the holder has the phone. */
  dueAt: number | null;
  isCleaning: boolean;
  attempts: number;
  hasFailed: boolean;
}

/** What a cleaning of a phone would remove now. */
export interface CleaningPreview {
  /** Time (ms since 1970) at which the present or last holder began, or null if the phone is clean. */
  readonly since: number | null;
  /** Whether an Admin wants the phone left unchanged, so that the cleaning will remove nothing. */
  readonly isKept: boolean;
  readonly items: readonly PlannedRemoval[];
}

const MOST_PREVIEWED = 500;
const LONGEST_TEXT = 300;
const cut = (text: string) => text.slice(0, LONGEST_TEXT);

/** Listener for what the records of sessions say about the cleaning after them. It must not throw. */
type CleanListener = (sessionIds: readonly string[], clean: SessionClean) => void;
type FromHub = Pick<NonNullable<Admission['fromHub']>, 'holderId' | 'isLeased'>;
type BeginOf = Pick<Admission, 'caller' | 'keep' | 'fromHub'>;

/** Time (ms) for which a phone stays as it is after a session, so that its owner can start another session. */
const NEXT_SESSION_MS = 5_000;
/** Time limit (ms) for reading what is on a phone before a session starts. */
const READ_MS = 3_000;
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
  readonly #holdings = new Map<string, Holding>();
  /** Reads of what is on a phone that have not ended. */
  readonly #reading = new Map<string, Promise<void>>();
  readonly #waiting = new Set<() => void>();
  readonly #listeners: CleanListener[] = [];
  /** Reads for previews that have not ended, so that a phone is read once for several callers. */
  readonly #previews = new Map<string, Promise<ReadContent>>();
  #running = 0;
  #mode: 'off' | 'apps' | 'data' = 'off';

  constructor(tools: Tools) {
    this.#tools = tools;
    for (const row of tools.store.all()) {
      this.#holdings.set(row.udid, {
        row,
        dueAt: null,
        isCleaning: false,
        attempts: 0,
        // After a restart, the owner of the last session cannot continue, because all sessions have ended.
        hasFailed: tools.care.on(row.udid)?.reason.startsWith(NOT_CLEANED) ?? false,
      });
      const state = this.#isLeased(row) ? 'leased' : 'cleaning';
      tools.lab.devices.setUncleaned(row.udid, { holderId: row.holderId, state });
    }
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
    await this.#reading.get(udid);
    if (!this.#holdings.has(udid)) await this.#hold(device, holderId);
    const holding = this.#holdings.get(udid);
    if (holding === undefined) return;
    holding.dueAt = null;
    const { row } = holding;
    if (keep === true && !row.isKept) this.#save(holding, { ...row, isKept: true });
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
    await this.#reading.get(udid);
    if (!this.#holdings.has(udid)) await this.#hold(device, holderId);
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

  /**
   * Reads a phone and returns what a cleaning would remove now, or null if the lab does not clean the phone. Changes
   * nothing. Rejects if the phone cannot be read.
   */
  async planFor(udid: string): Promise<CleaningPreview | null> {
    const { lab, shell } = this.#tools;
    const device = lab.devices.byUdid(udid);
    if (device === undefined || device.node !== null || device.logs !== 'adb') return null;
    const row = this.#holdings.get(udid)?.row;
    if (row === undefined) return { since: null, isKept: false, items: [] };
    const { before, mode, since, isKept } = row;
    if (before === null) throw new Error('what was on the phone before is not known');
    const known = this.#previews.get(udid);
    const reading = known ?? contentOf(shell, udid, mode).finally(() => this.#previews.delete(udid));
    if (known === undefined) this.#previews.set(udid, reading);
    const now = await reading;
    const items = reasonsOf(planCleaning(before, now), before, now).slice(0, MOST_PREVIEWED);
    return { since, isKept, items: items.map(({ name, why }) => ({ name: cut(name), why: cut(why) })) };
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
    if (isCleaning || this.#reading.has(row.udid)) return;
    if (this.#isLeased(row) && !holding.hasFailed) {
      this.#setState(row, 'leased');
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

  #setState({ udid, holderId }: CleaningRow, state: 'leased' | 'waiting' | 'cleaning' | 'failed'): void {
    const { devices } = this.#tools.lab;
    if (devices.uncleanedOf(udid)?.state !== state) devices.setUncleaned(udid, { holderId, state });
  }

  #isLeased({ udid, holderId }: Pick<CleaningRow, 'udid' | 'holderId'>): boolean {
    return holderId !== null && this.#tools.holders.keeps(udid, holderId);
  }

  #lentChanged({ udid, ownerId }: Lent): void {
    const device = this.#tools.lab.devices.byUdid(udid);
    const holding = this.#holdings.get(udid);
    const isLeased = this.#isLeased({ udid, holderId: ownerId });
    if (holding !== undefined && !holding.hasFailed && !holding.isCleaning) {
      const isKept = this.#isLeased(holding.row);
      this.#setState(holding.row, isKept ? 'leased' : 'waiting');
      if (isKept) holding.dueAt = null;
    } else if (holding === undefined && isLeased && device !== undefined) void this.#hold(device, ownerId);
  }

  #sessionStarted({ id, device }: DriverSession): void {
    const holding = device === null ? undefined : this.#holdings.get(device.udid);
    if (holding === undefined) return;
    const sessions = [...holding.row.sessions, id].slice(-MOST_SESSIONS);
    this.#save(holding, { ...holding.row, sessions });
    // The change is published after the start of the session.
    queueMicrotask(() => this.#tell([id], { state: 'pending', removed: [], at: null }));
  }

  /** Makes an account the holder of a clean phone, after reading what is on it. */
  async #hold(device: Device, holderId: string | null): Promise<void> {
    const { isOn, lab, log } = this.#tools;
    const wanted = this.#modeNow();
    const { udid } = device;
    if (wanted === 'off' || device.node !== null || device.logs !== 'adb' || !isOn()) return;
    lab.devices.setUncleaned(udid, { holderId, state: 'reading' });
    const reading = contentBefore(this.#tools.shell, udid, wanted).catch((error: unknown) => {
      const fields = { device: udid, cause: String(error) };
      log.warn('What is on a phone could not be read before it was given out', fields);
      return null;
    });
    const held = reading.then((before) => {
      const row = {
        ...{ udid, holderId, mode: wanted, before, since: this.#tools.clock.now() },
        ...{ sessions: [], isKept: false },
      };
      const holding = { row, dueAt: null, isCleaning: false, attempts: 0, hasFailed: false };
      this.#holdings.set(udid, holding);
      this.#save(holding, row);
      lab.devices.setUncleaned(udid, { holderId, state: this.#isLeased(row) ? 'leased' : 'waiting' });
      this.#reading.delete(udid);
    });
    this.#reading.set(udid, held);
    await held;
  }

  /** Returns the last known mode if the settings cannot be read. */
  #modeNow(): 'off' | 'apps' | 'data' {
    try {
      this.#mode = this.#tools.mode();
    } catch (error) {
      this.#tools.log.warn('The setting clean could not be read', { cause: String(error) });
    }
    return this.#mode;
  }

  #save(holding: Holding, row: CleaningRow): void {
    holding.row = row;
    try {
      this.#tools.store.save(row);
    } catch (error) {
      this.#tools.log.error('A phone that must be cleaned could not be stored', {
        device: row.udid,
        cause: String(error),
      });
    }
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
    this.#setState(row, 'cleaning');
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
    this.#setState(holding.row, 'failed');
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

async function contentBefore(shell: PhoneShell, udid: string, mode: 'apps' | 'data'): Promise<PhoneContent> {
  const { packages, files, values, isComplete } = await contentOf(shell, udid, mode, READ_MS);
  // What was not read would be taken for new, and deleted.
  if (!isComplete) throw new Error('it has too many files');
  return { packages, files, values };
}
