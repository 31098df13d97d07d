import type { Log } from '@svc/auth-core';
import type { SourceDevice } from '../../device.ts';
import { type HostLook, type HostSource, NOTHING_THERE } from '../host-phones.ts';
import { type AdbAddress, AdbConnection } from './adb-connection.ts';
import { type AdbDevice, devicesOfList, isUsable } from './adb-list.ts';
import { type AdbProperties, adbProperties, MOST_PROPERTY_BYTES } from './adb-properties.ts';
import { AdbShell } from './adb-shell.ts';
import { pluggedPhone } from './plugged-phone.ts';

/** Time limits for the adb server, in ms. */
interface Timeouts {
  /** Time limit for a response. The same limit applies to the rest of a frame after its first byte. */
  readonly response: number;
  /** Time limit for reading the properties of a device. */
  readonly version: number;
  /** Delay before the first attempt to reconnect. The delay doubles with each further attempt, up to `longestRetry`. */
  readonly firstRetry: number;
  readonly longestRetry: number;
}

const TIMEOUTS: Timeouts = { response: 5_000, version: 3_000, firstRetry: 250, longestRetry: 10_000 };
const READ_AT_ONCE = 4;

export interface AdbSourceOptions {
  readonly address: AdbAddress;
  readonly log: Log;
  /** Details that the operator configured, by serial. They have priority over the details from adb. */
  readonly details?: ReadonlyMap<string, Partial<SourceDevice>>;
  readonly timeouts?: Partial<Timeouts>;
}

/**
 * The devices of a running adb server. A device is present while adb reports its state as `device`. If the adb server
 * stops, all its devices are away, and this source tries to reconnect until it succeeds.
 */
export class AdbSource implements HostSource {
  readonly name = 'adb';
  readonly comesAndGoes = true;
  readonly endsSessions = true;
  readonly #options: AdbSourceOptions;
  readonly #timeouts: Timeouts;
  #report: (devices: readonly SourceDevice[]) => void = () => undefined;
  #stopped = false;
  #connection: AdbConnection | undefined;
  #wake: () => void = () => undefined;
  #present: readonly AdbDevice[] = [];
  /** Devices of the last list from the adb server, whatever their state. Null while the server does not respond. */
  #seen: readonly AdbDevice[] | null = null;
  /** Properties, by transport id and serial. The value is undefined while the properties are being read. */
  #properties = new Map<string, AdbProperties | undefined>();
  #waiting: AdbDevice[] = [];
  #reading = 0;
  #retries = 0;
  /** Whether the current connection to the adb server was already logged. It is logged once after each outage. */
  #isLogged = false;

  constructor(options: AdbSourceOptions) {
    this.#options = options;
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts };
  }

  start(report: (devices: readonly SourceDevice[]) => void): void {
    this.#report = report;
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#report = () => undefined;
    this.#connection?.close();
    this.#wake();
  }

  seen(): HostLook {
    if (this.#seen === null) return NOTHING_THERE;
    const phones = this.#seen.map((device) =>
      pluggedPhone(device, this.#properties.get(keyOf(device))?.osVersion ?? null),
    );
    return { answers: true, phones };
  }

  async #run(): Promise<void> {
    const { log, address } = this.#options;
    while (!this.#stopped) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#stopped) return;
        const fields = { ...serverOf(address), cause: String(error) };
        // Log only the first failure of an outage, because connecting is retried every few seconds.
        if (this.#retries === 0) {
          this.#isLogged = false;
          log.warn('The adb server does not respond: its phones are away', fields);
        }
      } finally {
        this.#connection?.close();
        this.#connection = undefined;
      }
      this.#seen = null;
      this.#listed([]);
      await this.#pause(
        Math.min(this.#timeouts.firstRetry * 2 ** this.#retries, this.#timeouts.longestRetry),
      );
      this.#retries = Math.min(this.#retries + 1, 20);
    }
  }

  /** Connects to the adb server and reports its devices until the connection fails. */
  async #follow(): Promise<void> {
    const { address, log } = this.#options;
    const { response, longestRetry } = this.#timeouts;
    const connection = await AdbConnection.open(address, response);
    this.#connection = connection;
    await connection.request('host:track-devices-l', response);
    // Reset the number of retries only after the connection has lasted for a while. Otherwise the delay would stay
    // short for a server that accepts connections and fails soon after.
    const steady = setTimeout(() => {
      this.#retries = 0;
    }, longestRetry).unref();
    try {
      this.#received(await connection.frame(response, response));
      if (!this.#isLogged) log.info('Following the phones of an adb server', serverOf(address));
      this.#isLogged = true;
      while (!this.#stopped) this.#received(await connection.frame(response, null));
    } finally {
      clearTimeout(steady);
    }
  }

  #received(list: Buffer): void {
    this.#seen = devicesOfList(String(list));
    this.#listed(this.#seen.filter(isUsable));
  }

  #listed(devices: readonly AdbDevice[]): void {
    this.#present = devices;
    const before = this.#properties;
    this.#properties = new Map();
    this.#waiting = [];
    for (const device of devices) {
      const key = keyOf(device);
      if (before.has(key)) this.#properties.set(key, before.get(key));
      else this.#waiting.push(device);
    }
    this.#readProperties();
    this.#reportDevices();
  }

  /**
   * Reads the missing properties. A device is reported as soon as its own properties are known or could not be read.
   * A phone that does not respond therefore does not delay the others.
   */
  #readProperties(): void {
    while (this.#reading < READ_AT_ONCE) {
      const device = this.#waiting.shift();
      if (device === undefined) return;
      const key = keyOf(device);
      this.#reading++;
      this.#properties.set(key, undefined);
      this.#read(device)
        .catch(() => adbProperties(device.serial, ''))
        .then((properties) => {
          this.#reading--;
          if (this.#properties.has(key)) this.#properties.set(key, properties);
          this.#reportDevices();
          this.#readProperties();
        });
    }
  }

  async #read({ serial }: AdbDevice): Promise<AdbProperties> {
    const limits = { most: MOST_PROPERTY_BYTES, ms: this.#timeouts.version };
    return adbProperties(serial, await new AdbShell(this.#options.address).run(serial, 'getprop', limits));
  }

  #reportDevices(): void {
    const devices = this.#present.flatMap((device) => {
      const properties = this.#properties.get(keyOf(device));
      return properties === undefined ? [] : [this.#described(device, properties)];
    });
    this.#report(devices);
  }

  #described({ serial, model }: AdbDevice, { osVersion, facts }: AdbProperties): SourceDevice {
    return {
      name: model || serial,
      platform: 'Android',
      osVersion,
      node: null,
      mjpegUrl: null,
      h264Url: null,
      logs: 'adb',
      ...facts,
      model: facts.model ?? (model || null),
      ...this.#options.details?.get(serial),
      udid: serial,
    };
  }

  #pause(ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function serverOf({ host, port }: AdbAddress): { server: string } {
  return { server: `${host}:${port}` };
}

function keyOf({ serial, transport }: AdbDevice): string {
  return `${transport} ${serial}`;
}
