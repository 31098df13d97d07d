import type { Log } from '@svc/auth-core';
import type { SourceDevice } from '../../device.ts';
import type { DeviceSource } from '../device-source.ts';
import { type AdbAddress, AdbConnection } from './adb-connection.ts';
import { type AdbDevice, devicesOfList } from './adb-list.ts';

/** In ms. */
interface Patience {
  /** For a response, and for the rest of a frame that began. */
  readonly response: number;
  /** For a device to tell its version. */
  readonly version: number;
  /** Before the first new attempt to connect; twice as long each further time. */
  readonly firstRetry: number;
  readonly longestRetry: number;
}

const PATIENCE: Patience = { response: 5_000, version: 3_000, firstRetry: 250, longestRetry: 10_000 };
const VERSIONS_AT_ONCE = 4;
const LONGEST_VERSION = 64;

export interface AdbSourceOptions {
  readonly address: AdbAddress;
  readonly log: Log;
  /** What the operator says about a device, by serial: it wins over what adb tells. */
  readonly details?: ReadonlyMap<string, Partial<SourceDevice>>;
  readonly patience?: Partial<Patience>;
}

/**
 * The devices of an adb server that runs already: an Android device is there while its state is `device`. Once the
 * server is gone they are, too, and it is asked again until it is back.
 */
export class AdbSource implements DeviceSource {
  readonly name = 'adb';
  readonly comesAndGoes = true;
  readonly endsSessions = true;
  readonly #options: AdbSourceOptions;
  readonly #patience: Patience;
  #report: (devices: readonly SourceDevice[]) => void = () => undefined;
  #stopped = false;
  #connection: AdbConnection | undefined;
  #wake: () => void = () => undefined;
  #present: readonly AdbDevice[] = [];
  /** By transport and serial; undefined while the device is asked. */
  #versions = new Map<string, string | undefined>();
  #waiting: AdbDevice[] = [];
  #asking = 0;
  #retries = 0;
  /** Whether the log says that it is there. */
  #isTold = false;

  constructor(options: AdbSourceOptions) {
    this.#options = options;
    this.#patience = { ...PATIENCE, ...options.patience };
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

  async #run(): Promise<void> {
    const { log, address } = this.#options;
    while (!this.#stopped) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#stopped) return;
        const fields = { ...serverOf(address), cause: String(error) };
        // Once each time it goes away: it is asked again every few seconds.
        if (this.#retries === 0) {
          this.#isTold = false;
          log.warn('The adb server is not there: its phones are away', fields);
        }
      } finally {
        this.#connection?.close();
        this.#connection = undefined;
      }
      this.#listed([]);
      await this.#pause(
        Math.min(this.#patience.firstRetry * 2 ** this.#retries, this.#patience.longestRetry),
      );
      this.#retries = Math.min(this.#retries + 1, 20);
    }
  }

  /** Until the connection fails. */
  async #follow(): Promise<void> {
    const { address, log } = this.#options;
    const { response, longestRetry } = this.#patience;
    const connection = await AdbConnection.open(address, response);
    this.#connection = connection;
    await connection.request('host:track-devices-l', response);
    // One that fails again and again is not asked more often for having answered in between.
    const steady = setTimeout(() => {
      this.#retries = 0;
    }, longestRetry).unref();
    try {
      this.#listed(devicesOfList(String(await connection.frame(response, response))));
      if (!this.#isTold) log.info('Following the phones of an adb server', serverOf(address));
      this.#isTold = true;
      while (!this.#stopped) this.#listed(devicesOfList(String(await connection.frame(response, null))));
    } finally {
      clearTimeout(steady);
    }
  }

  #listed(devices: readonly AdbDevice[]): void {
    this.#present = devices;
    const before = this.#versions;
    this.#versions = new Map();
    this.#waiting = [];
    for (const device of devices) {
      const key = keyOf(device);
      if (before.has(key)) this.#versions.set(key, before.get(key));
      else this.#waiting.push(device);
    }
    this.#askVersions();
    this.#tell();
  }

  /** A device is reported once its version is known, or known not to come: a phone that hangs holds up itself only. */
  #askVersions(): void {
    while (this.#asking < VERSIONS_AT_ONCE) {
      const device = this.#waiting.shift();
      if (device === undefined) return;
      const key = keyOf(device);
      this.#asking++;
      this.#versions.set(key, undefined);
      this.#versionOf(device)
        .catch(() => 'unknown')
        .then((version) => {
          this.#asking--;
          if (this.#versions.has(key)) this.#versions.set(key, version);
          this.#tell();
          this.#askVersions();
        });
    }
  }

  async #versionOf({ serial }: AdbDevice): Promise<string> {
    const { version: patience } = this.#patience;
    const connection = await AdbConnection.open(this.#options.address, patience);
    try {
      await connection.request(`host:transport:${serial}`, patience);
      await connection.request('shell:getprop ro.build.version.release', patience);
      const answer = (await connection.rest(LONGEST_VERSION, patience)).toString('utf8').trim();
      return /^[\w.+-]+$/.test(answer) ? answer : 'unknown';
    } finally {
      connection.close();
    }
  }

  #tell(): void {
    const devices = this.#present.flatMap((device) => {
      const osVersion = this.#versions.get(keyOf(device));
      return osVersion === undefined ? [] : [this.#described(device, osVersion)];
    });
    this.#report(devices);
  }

  #described({ serial, model }: AdbDevice, osVersion: string): SourceDevice {
    return {
      name: model || serial,
      platform: 'Android',
      osVersion,
      node: null,
      mjpegUrl: null,
      h264Url: null,
      logs: 'adb',
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
