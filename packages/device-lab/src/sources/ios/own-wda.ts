import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Log } from '@svc/auth-core';
import type { DeviceProblem } from '../../device.ts';
import { runGoIos } from './go-ios.ts';
import { forwardToPhone, type PhonePort } from './phone-port.ts';
import type { UsbmuxdAddress } from './usbmuxd.ts';
import { askWda } from './wda-client.ts';

/** Ports at which WebDriverAgent listens on the phone, for commands and for its pictures. */
const WDA_PORT = 8100;
const MJPEG_PORT = 9100;

/** Time limits in ms. */
export interface WdaTimes {
  /** Delay before the first restart. The delay doubles with each further restart, up to `longestRetry`. */
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** Time between two questions whether WebDriverAgent is ready. */
  readonly betweenLooks: number;
  /** Time in which it has to be ready. Otherwise it is started again. */
  readonly ready: number;
}

/** Time limit (ms) for one question to go-ios. */
const LOOK_MS = 15_000;

const TIMES: WdaTimes = { firstRetry: 1_000, longestRetry: 60_000, betweenLooks: 500, ready: 60_000 };

export interface OwnWdaOptions {
  readonly udid: string;
  /** Id of the phone's connection to usbmuxd. */
  readonly deviceId: number;
  readonly osVersion: string;
  readonly address: UsbmuxdAddress;
  /** Whole environment of go-ios. */
  readonly env: Readonly<Record<string, string>>;
  /** Bundle id with which the WebDriverAgent on the phones was signed, or null for that of go-ios. */
  readonly bundleId: string | null;
  readonly log: Log;
  readonly times?: Partial<WdaTimes>;
  /** Called whenever the state changes, but never after `stop`. */
  readonly changed: (state: WdaState) => void;
}

/** State of a WebDriverAgent: its addresses while it is ready, otherwise why it is not, as far as that is known. */
export type WdaState =
  | { readonly isReady: true; readonly wdaUrl: string; readonly mjpegUrl: string }
  | { readonly isReady: false; readonly problem: DeviceProblem | null };

/**
 * Runs go-ios as a child of a shell that kills it when this server ends, also by SIGKILL: the standard
 * input of the shell is then closed. The arguments are passed as `$@`, so the shell does not parse them.
 */
const RUN_UNTIL_CLOSED =
  'exec 3<&0; "$@" </dev/null & p=$!; { cat <&3 >/dev/null; kill -9 $p; } 2>/dev/null & w=$!; wait $p; s=$?; kill $w; exit $s';

/**
 * The WebDriverAgent of one phone, which this server runs with go-ios and starts again with growing delays when it ends.
 * It can be reached only at two ports of the loopback address, which this server opens.
 */
export class OwnWda {
  readonly #options: OwnWdaOptions;
  readonly #times: WdaTimes;
  #child: ChildProcess | undefined;
  #ports: readonly PhonePort[] = [];
  #timer: NodeJS.Timeout | undefined;
  #retries = 0;
  #isStopped = false;
  #run = 0;

  constructor(options: OwnWdaOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
  }

  start(): void {
    void this.#begin();
  }

  /** Kills go-ios and closes the ports. */
  stop(): void {
    this.#isStopped = true;
    this.#run += 1;
    clearTimeout(this.#timer);
    this.#end();
  }

  async #begin(): Promise<void> {
    const { address, deviceId, udid, env, bundleId, log } = this.#options;
    const run = ++this.#run;
    try {
      const wda = await forwardToPhone(address, deviceId, WDA_PORT);
      this.#ports = [wda];
      const mjpeg = await forwardToPhone(address, deviceId, MJPEG_PORT);
      this.#ports = [wda, mjpeg];
    } catch (error) {
      return this.#failed(run, String((error as NodeJS.ErrnoException).code ?? 'failed'), '');
    }
    if (run !== this.#run) return this.#end();
    const child = startGoIos(['runwda', `--udid=${udid}`, ...bundleArguments(bundleId)], env);
    this.#child = child;
    let said = '';
    const note = (text: string) => {
      said = (said + text).slice(-8_192);
    };
    child.stdout?.setEncoding('utf8').on('data', note);
    child.stderr?.setEncoding('utf8').on('data', note);
    child.stdin?.on('error', () => undefined);
    child.once('error', () => this.#failed(run, 'go-ios cannot be started', said));
    child.once('exit', () => this.#failed(run, 'go-ios has ended', said));
    log.debug('Starting WebDriverAgent', { device: udid });
    void this.#awaitReady(run, performance.now() + this.#times.ready, () => said);
  }

  async #awaitReady(run: number, until: number, said: () => string): Promise<void> {
    const [wda, mjpeg] = this.#ports;
    if (run !== this.#run || wda === undefined || mjpeg === undefined) return;
    const wdaUrl = `http://127.0.0.1:${wda.port}`;
    try {
      await askWda(wdaUrl, { method: 'GET', path: '/status', timeoutMs: 5_000, largest: 64 * 1024 });
    } catch {
      if (run !== this.#run) return;
      if (performance.now() > until) return this.#failed(run, 'WebDriverAgent is not ready in time', said());
      this.#timer = setTimeout(
        () => void this.#awaitReady(run, until, said),
        this.#times.betweenLooks,
      ).unref();
      return;
    }
    if (run !== this.#run) return;
    this.#retries = 0;
    this.#options.log.info('WebDriverAgent is ready', { device: this.#options.udid });
    this.#options.changed({ isReady: true, wdaUrl, mjpegUrl: `http://127.0.0.1:${mjpeg.port}/` });
  }

  /** Starts WebDriverAgent again later, and finds out what is wrong with the phone. */
  #failed(run: number, cause: string, said: string): void {
    if (run !== this.#run || this.#isStopped) return;
    this.#run += 1;
    const { udid, log, changed } = this.#options;
    this.#end();
    clearTimeout(this.#timer);
    const { firstRetry, longestRetry } = this.#times;
    const delay = Math.min(firstRetry * 2 ** this.#retries, longestRetry);
    if (this.#retries === 0) log.warn('WebDriverAgent does not run on a phone', { device: udid, cause });
    this.#retries = Math.min(this.#retries + 1, 20);
    changed({ isReady: false, problem: null });
    this.#timer = setTimeout(() => void this.#begin(), delay).unref();
    const after = this.#run;
    void this.#problem(said).then((problem) => {
      if (problem !== null && after === this.#run && !this.#isStopped) changed({ isReady: false, problem });
    });
  }

  #end(): void {
    this.#child?.stdin?.destroy();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    for (const port of this.#ports) port.close();
    this.#ports = [];
  }

  /** @param said what go-ios printed before it ended */
  async #problem(said: string): Promise<DeviceProblem | null> {
    const { udid, env, osVersion } = this.#options;
    const { stdout: mode } = await runGoIos(['devmode', 'get', `--udid=${udid}`], env, LOOK_MS);
    if (/"DeveloperModeEnabled"\s*:\s*false|Developer mode enabled: false/i.test(mode))
      return 'developer mode off';
    if (Number.parseInt(osVersion, 10) < 17) return null;
    if (/tunnel/i.test(said)) return 'no tunnel';
    const { stdout: tunnels } = await runGoIos(['tunnel', 'ls'], env, LOOK_MS);
    return tunnels.includes(udid) ? null : 'no tunnel';
  }
}

function bundleArguments(bundleId: string | null): string[] {
  if (bundleId === null) return [];
  const config = '--xctestconfig=WebDriverAgentRunner.xctest';
  return [`--bundleid=${bundleId}`, `--testrunnerbundleid=${bundleId}`, config];
}

function startGoIos(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const options: SpawnOptions = { env, stdio: 'pipe', windowsHide: true };
  if (process.platform === 'win32') return spawn('ios', args, options);
  return spawn('/bin/sh', ['-c', RUN_UNTIL_CLOSED, 'sh', 'ios', ...args], options);
}
