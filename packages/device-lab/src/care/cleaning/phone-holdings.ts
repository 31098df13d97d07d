import type { Clock, Log } from '@svc/auth-core';
import type { Device } from '../../device.ts';
import type { Devices } from '../../devices.ts';
import { contentOf, type PhoneShell } from './clean-phone.ts';
import type { CleaningRow, CleaningStore } from './cleaning-store.ts';
import type { PhoneContent } from './phone-content.ts';
import type { PhoneHolders } from './phone-holders.ts';

export interface HoldingTools {
  readonly store: CleaningStore;
  readonly lab: { readonly devices: Devices };
  /** Who keeps phones for longer than a session. On a node, these are the leases of its hub. */
  readonly holders: PhoneHolders;
  readonly shell: PhoneShell;
  /** Returns the setting `clean`. Called for each new holder. */
  readonly mode: () => 'off' | 'apps' | 'data';
  /** Whether the lab uses the phones of the adb server now. */
  readonly isOn: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** A holder of a phone, or what the last holder left on it. */
export interface Holding {
  row: CleaningRow;
  /** Time (ms since 1970) at which the cleaning begins, or null while the holder has the phone. */
  dueAt: number | null;
  isCleaning: boolean;
  attempts: number;
  hasFailed: boolean;
}

/** Time limit (ms) for reading what is on a phone before a session starts. */
const READ_MS = 3_000;

/** The phones that are not clean, with their holders and what was on them before. */
export class PhoneHoldings {
  readonly #tools: HoldingTools;
  readonly #known = new Map<string, Holding>();
  /** Reads of what is on a phone that have not ended. */
  readonly #reading = new Map<string, Promise<void>>();
  #mode: 'off' | 'apps' | 'data' = 'off';

  /** @param hasFailed whether a phone is out of service because it could not be cleaned */
  constructor(tools: HoldingTools, hasFailed: (udid: string) => boolean) {
    this.#tools = tools;
    for (const row of tools.store.all()) {
      this.#known.set(row.udid, {
        row,
        dueAt: null,
        isCleaning: false,
        attempts: 0,
        hasFailed: hasFailed(row.udid),
      });
      const state = this.isLeased(row) ? 'leased' : 'cleaning';
      tools.lab.devices.setUncleaned(row.udid, { holderId: row.holderId, state });
    }
  }

  get(udid: string): Holding | undefined {
    return this.#known.get(udid);
  }

  values(): Iterable<Holding> {
    return this.#known.values();
  }

  /** Forgets a phone that is clean. */
  delete(udid: string): void {
    this.#known.delete(udid);
  }

  isReading(udid: string): boolean {
    return this.#reading.has(udid);
  }

  /** Resolves when the phone is not being read. */
  async read(udid: string): Promise<void> {
    await this.#reading.get(udid);
  }

  /** Makes an account the holder of a clean phone, after reading what is on it. */
  async hold(device: Device, holderId: string | null): Promise<void> {
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
      this.#known.set(udid, holding);
      this.save(holding, row);
      lab.devices.setUncleaned(udid, { holderId, state: this.isLeased(row) ? 'leased' : 'waiting' });
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

  /** Changes the stored row of a holding. A row that cannot be stored is logged. */
  save(holding: Holding, row: CleaningRow): void {
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

  /** Sets what the lab shows of a phone that is not clean. */
  setState({ udid, holderId }: CleaningRow, state: 'leased' | 'waiting' | 'cleaning' | 'failed'): void {
    const { devices } = this.#tools.lab;
    if (devices.uncleanedOf(udid)?.state !== state) devices.setUncleaned(udid, { holderId, state });
  }

  /** @returns whether the holder keeps the phone for longer than a session */
  isLeased({ udid, holderId }: Pick<CleaningRow, 'udid' | 'holderId'>): boolean {
    return holderId !== null && this.#tools.holders.keeps(udid, holderId);
  }
}

async function contentBefore(shell: PhoneShell, udid: string, mode: 'apps' | 'data'): Promise<PhoneContent> {
  const { packages, files, values, isComplete } = await contentOf(shell, udid, mode, READ_MS);
  // What was not read would be taken for new, and deleted.
  if (!isComplete) throw new Error('it has too many files');
  return { packages, files, values };
}
