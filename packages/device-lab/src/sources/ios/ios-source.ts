import type { Log } from '@svc/auth-core';
import { NO_STREAMS, type SourceDevice } from '../../device.ts';
import { type HostLook, type HostSource, NOTHING_THERE, type PluggedPhone } from '../host-phones.ts';
import { attachedOf } from './attached.ts';
import type { IosDetailsResult } from './go-ios.ts';
import type { OwnWda, OwnWdaOptions, WdaState } from './own-wda.ts';
import { type Message, requestUsbmuxd, type UsbmuxdAddress } from './usbmuxd.ts';

/** Time limits in ms. */
interface Timeouts {
  /** Delay before the first attempt to reconnect. The delay doubles with each further attempt, up to `longestRetry`. */
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** Time after which go-ios is run again for a phone that it could not read. */
  readonly readAgain: number;
}

const TIMEOUTS: Timeouts = { firstRetry: 250, longestRetry: 10_000, readAgain: 30_000 };
const MOST_PHONES = 200;

export interface IosSourceOptions {
  readonly address: UsbmuxdAddress;
  /** Reads the details of a phone. Must not reject. */
  readonly details: (udid: string) => Promise<IosDetailsResult>;
  /** Creates the WebDriverAgent that the lab runs for a phone, or null if the lab runs none (`SVC_IOS_WDA`). */
  readonly ownWda?: ((phone: OwnWdaPhone) => Pick<OwnWda, 'start' | 'stop'>) | null;
  readonly log: Log;
  readonly timeouts?: Partial<Timeouts>;
}

type OwnWdaPhone = Pick<OwnWdaOptions, 'udid' | 'deviceId' | 'osVersion' | 'changed'>;

/** The WebDriverAgent that the lab runs for a phone, with its last state. */
interface RunningWda {
  readonly deviceId: number;
  readonly wda: Pick<OwnWda, 'start' | 'stop'>;
  state: WdaState;
}

/**
 * The iOS devices that usbmuxd reports. A phone is present while it is attached, unless go-ios is installed and cannot
 * read the phone, because the phone then does not trust this host: it is reported with the problem `not trusted`. If go-ios is not installed, every attached phone is
 * present, but only its udid is known.
 */
export class IosSource implements HostSource {
  readonly name = 'ios';
  readonly comesAndGoes = true;
  readonly endsSessions = true;
  readonly #options: IosSourceOptions;
  readonly #timeouts: Timeouts;
  #report: (devices: readonly SourceDevice[]) => void = () => undefined;
  #connection: { close(): void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #steady: NodeJS.Timeout | undefined;
  #retries = 0;
  /** Whether the current connection to usbmuxd was already logged. It is logged once after each outage. */
  #isLogged = false;
  #isConnected = false;
  #stopped = false;
  /** Udids of the attached phones. The keys are the ids of their connections to usbmuxd. */
  readonly #attached = new Map<number, string>();
  /** Details of the attached phones, by udid. The value is undefined while a phone is being read for the first time. */
  readonly #details = new Map<string, IosDetailsResult | undefined>();
  /**
   * Resolves when all phones that wait to be read have been read. Phones are read one after the other, so that at most
   * one go-ios process runs at a time.
   */
  #reading: Promise<void> = Promise.resolve();
  /** By udid, timers after which a phone that could not be read is read again. */
  readonly #readAgain = new Map<string, NodeJS.Timeout>();
  /** Udids of the phones that wait to be read. A phone that already waits is not added to `#reading` again. */
  readonly #waiting = new Set<string>();

  /** By udid, the WebDriverAgents that the lab runs. */
  readonly #wdas = new Map<string, RunningWda>();

  constructor(options: IosSourceOptions) {
    this.#options = options;
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts };
  }

  start(report: (devices: readonly SourceDevice[]) => void): void {
    this.#report = report;
    this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    this.#report = () => undefined;
    this.#connection?.close();
    clearTimeout(this.#timer);
    clearTimeout(this.#steady);
    for (const timer of this.#readAgain.values()) clearTimeout(timer);
    for (const { wda } of this.#wdas.values()) wda.stop();
    this.#wdas.clear();
  }

  seen(): HostLook {
    if (!this.#isConnected) return NOTHING_THERE;
    const phones = [...new Set(this.#attached.values())].map((udid): PluggedPhone => {
      const details = this.#details.get(udid);
      if (details === undefined) return { udid, name: null, osVersion: null, state: 'other' };
      if (details === 'unreadable') return { udid, name: null, osVersion: null, state: 'unauthorized' };
      if (details === 'absent') return { udid, name: null, osVersion: null, state: 'ready' };
      return { udid, name: details.name, osVersion: details.osVersion, state: 'ready' };
    });
    return { answers: true, phones };
  }

  #connect(): void {
    this.#connection = requestUsbmuxd(this.#options.address, 'Listen', {
      message: (message) => this.#received(message),
      ended: (cause) => this.#lost(cause),
    });
  }

  #lost(cause: Error): void {
    clearTimeout(this.#steady);
    if (this.#retries === 0) {
      this.#isLogged = false;
      this.#options.log.warn('usbmuxd does not respond: its phones are away', { cause: String(cause) });
    }
    this.#isConnected = false;
    this.#attached.clear();
    this.#details.clear();
    this.#reportDevices();
    const { firstRetry, longestRetry } = this.#timeouts;
    const delay = Math.min(firstRetry * 2 ** this.#retries, longestRetry);
    this.#retries = Math.min(this.#retries + 1, 20);
    if (!this.#stopped) this.#timer = setTimeout(() => this.#connect(), delay).unref();
  }

  #received(message: Message): void {
    const { MessageType: type, DeviceID: id } = message;
    if (type === 'Result' && message.Number === 0) {
      this.#isConnected = true;
      // Reset the number of retries only after the connection has lasted for a while. Otherwise the delay would stay
      // short for a usbmuxd that accepts connections and fails soon after.
      this.#steady = setTimeout(() => {
        this.#retries = 0;
      }, this.#timeouts.longestRetry).unref();
      if (!this.#isLogged) this.#options.log.info('Following the iOS phones of usbmuxd');
      this.#isLogged = true;
    } else if (type === 'Attached') {
      const attached = attachedOf(message);
      if (attached === undefined || this.#attached.size >= MOST_PHONES) return;
      this.#attached.set(attached.id, attached.udid);
      this.#read(attached.udid);
    } else if (type === 'Detached' && typeof id === 'number') this.#attached.delete(id);
    // usbmuxd sends `Paired` when somebody has confirmed on the phone that it trusts this host.
    else if (type === 'Paired' && typeof id === 'number') this.#read(this.#attached.get(id));
    this.#reportDevices();
  }

  #read(udid: string | undefined): void {
    if (udid === undefined) return;
    const known = this.#details.get(udid);
    if (typeof known === 'object') return;
    this.#details.set(udid, known);
    if (this.#waiting.has(udid)) return;
    this.#waiting.add(udid);
    this.#reading = this.#reading.then(async () => {
      this.#waiting.delete(udid);
      if (this.#stopped || !this.#isAttached(udid)) return;
      const details = await this.#options.details(udid);
      if (this.#stopped || !this.#isAttached(udid)) return;
      this.#details.set(udid, details);
      this.#reportDevices();
      if (details === 'unreadable') this.#readLater(udid);
    });
  }

  /** Reads a phone again later. The timer replaces the phone's previous one. */
  #readLater(udid: string): void {
    clearTimeout(this.#readAgain.get(udid));
    const timer = setTimeout(() => {
      this.#readAgain.delete(udid);
      this.#read(udid);
    }, this.#timeouts.readAgain).unref();
    this.#readAgain.set(udid, timer);
  }

  #isAttached(udid: string): boolean {
    return [...this.#attached.values()].includes(udid);
  }

  #reportDevices(): void {
    for (const udid of this.#details.keys()) if (!this.#isAttached(udid)) this.#details.delete(udid);
    this.#runWdas();
    const devices = [...this.#details].flatMap(([udid, details]) => this.#described(udid, details) ?? []);
    this.#report(devices);
  }

  /** @returns the phone as it is reported, or undefined if it is still being read or its WebDriverAgent is not ready */
  #described(udid: string, details: IosDetailsResult | undefined): SourceDevice | undefined {
    if (details === undefined) return undefined;
    const { name, osVersion } = typeof details === 'string' ? { name: udid, osVersion: 'unknown' } : details;
    const model = typeof details === 'string' ? null : (details.model ?? null);
    const facts = { model, manufacturer: 'Apple', kind: 'real' } as const;
    const phone = { udid, name, osVersion, platform: 'iOS', node: null, ...NO_STREAMS, ...facts };
    if (details === 'unreadable') return { ...phone, problem: 'not trusted' };
    const state = this.#wdas.get(udid)?.state;
    if (state === undefined) return { ...phone, problem: null };
    if (!state.isReady) return state.problem === null ? undefined : { ...phone, problem: state.problem };
    return { ...phone, wdaUrl: state.wdaUrl, mjpegUrl: state.mjpegUrl, problem: null };
  }

  /** Starts the WebDriverAgents of phones that were attached, and stops those of phones that are gone. */
  #runWdas(): void {
    const { ownWda = null } = this.#options;
    if (ownWda === null || this.#stopped) return;
    const ids = new Map([...this.#attached].map(([deviceId, udid]) => [udid, deviceId]));
    for (const [udid, { deviceId, wda }] of [...this.#wdas]) {
      if (this.#attached.get(deviceId) === udid) continue;
      wda.stop();
      this.#wdas.delete(udid);
    }
    for (const [udid, details] of this.#details) {
      const deviceId = ids.get(udid);
      if (typeof details !== 'object' || deviceId === undefined || this.#wdas.has(udid)) continue;
      const changed = (state: WdaState) => {
        running.state = state;
        this.#reportDevices();
      };
      const wda = ownWda({ udid, deviceId, osVersion: details.osVersion, changed });
      const running: RunningWda = { deviceId, wda, state: { isReady: false, problem: null } };
      this.#wdas.set(udid, running);
      wda.start();
    }
  }
}
