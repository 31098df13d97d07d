import type { Color } from '../screen/phone-picture.ts';
import { PhoneScreen } from '../screen/phone-screen.ts';
import type { InstalledPackage } from './apk.ts';
import { PhoneFiles } from './phone-files.ts';
import { UiAutomator } from './ui-automator.ts';

/** Facts of a scripted Android phone. */
export interface AndroidFacts {
  readonly serial: string;
  /** Model as `adb devices -l` shows it, with underscores. */
  readonly model?: string;
  readonly manufacturer?: string;
  /** Android version, such as `14`. */
  readonly release?: string;
  readonly apiLevel?: number;
  readonly width?: number;
  readonly height?: number;
  readonly background?: Color;
  /** Name of the virtual device of an emulator, whose serial is `emulator-<console port>`. */
  readonly avd?: string;
}

/** A state in which `adb devices` lists a phone. */
export type PhoneState = 'device' | 'offline' | 'unauthorized' | 'recovery' | 'no permissions';

const SYSTEM_PACKAGES = ['android', 'com.android.settings', 'com.android.systemui', 'com.android.launcher3'];
const LAUNCHER = 'com.android.launcher3/.Launcher';
const SERVER_PACKAGE = 'io.appium.uiautomator2.server';
const FIRST_PID = 4_000;

/** Receives the log lines of a phone. */
export type LogSink = (line: string) => void;

/** A scripted Android phone: what it is, what is installed and stored on it, and what was done to it. */
export class AndroidPhone {
  readonly serial: string;
  readonly facts: Required<Omit<AndroidFacts, 'avd'>> & { readonly avd: string | null };
  readonly packages = new Map<string, InstalledPackage>();
  readonly files = new PhoneFiles();
  /** Values of `settings`, by `<namespace> <name>`. */
  readonly settings = new Map<string, string>();
  /** Values of `setprop`. */
  readonly properties = new Map<string, string>();
  /** Process ids by process name. */
  readonly processes = new Map<string, number>();
  readonly screen: PhoneScreen;
  readonly uiAutomator: UiAutomator;
  /** Arguments of each call of `input`, such as `tap 10 20`. */
  readonly inputs: string[] = [];
  /** Commands for which the phone has no program. */
  readonly unknown: string[] = [];
  /** Further command lines that a test answers, which precede the programs of the phone. */
  readonly answers: {
    readonly command: RegExp;
    readonly output: () => string | Uint8Array | AsyncIterable<Uint8Array>;
  }[] = [];
  /** Local ports to which further TCP ports of the phone lead, such as a server of an app. */
  readonly ports = new Map<number, number>();
  /** Local ports to which abstract sockets of the phone lead, such as that of Chrome's developer tools. */
  readonly abstractSockets = new Map<string, number>();
  /** Ports of the phone that `adb reverse` leads to a port of the adb server's host. */
  readonly reverses = new Map<string, number>();
  battery = { level: 90, temperature: 29.5, isCharging: true, health: 2 };
  /** Kibibytes of `/data`. */
  storage = { total: 118_000_000, used: 40_000_000 };
  clipboard = '';
  focused = LAUNCHER;
  isLandscape = false;
  isScreenOn = true;
  /** Time (ms) that the server of the UiAutomator2 driver needs to start, or null if it never starts. */
  startMs: number | null = 0;
  /** Names of the abstract sockets of web views, such as `webview_devtools_remote_1234`. */
  webViews: readonly string[] = [];
  /** How often `reboot` was called. */
  reboots = 0;
  tap: { readonly x: number; readonly y: number } | null = null;
  readonly #log: string[] = [];
  readonly #logSinks = new Set<LogSink>();
  readonly #instrumentation = new Set<(output: string) => void>();
  #lastPid = FIRST_PID;

  constructor(facts: AndroidFacts) {
    this.serial = facts.serial;
    this.facts = {
      model: 'Pixel_8',
      manufacturer: 'Google',
      release: '14',
      apiLevel: 34,
      width: 1080,
      height: 2400,
      background: [25, 60, 120],
      avd: null,
      ...facts,
    };
    for (const name of SYSTEM_PACKAGES) this.#addPackage(name, true);
    this.screen = new PhoneScreen(() => ({
      lines: [
        facts.serial,
        `Android ${this.facts.release}`,
        ...this.focused.split('/'),
        ...this.typed.slice(-3),
      ],
      background: this.facts.background,
      isLandscape: this.isLandscape,
      tap: this.tap,
    }));
    this.uiAutomator = new UiAutomator(this);
    this.log('I', 'Phone', `log of ${facts.serial}`);
  }

  /** Width and height of the screen in its present orientation. */
  get size(): { readonly width: number; readonly height: number } {
    const { width, height } = this.facts;
    return this.isLandscape ? { width: height, height: width } : { width, height };
  }

  /** Texts that were typed through the UiAutomator2 driver. */
  get typed(): readonly string[] {
    return this.uiAutomator.typed;
  }

  install(app: InstalledPackage): void {
    this.packages.set(app.name, app);
  }

  startProcess(name: string): void {
    this.#lastPid += 1;
    this.processes.set(name, this.#lastPid);
  }

  focus(activity: string): void {
    this.focused = activity;
    this.screen.changed();
  }

  /** Shows a tap on the screen, at a point in pixels. */
  showTap(x: number, y: number): void {
    this.tap = { x: x / this.size.width, y: y / this.size.height };
    this.screen.changed();
  }

  rotate(isLandscape: boolean): void {
    this.isLandscape = isLandscape;
    this.screen.changed();
  }

  get logLines(): readonly string[] {
    return this.#log;
  }

  log(level: 'D' | 'I' | 'W' | 'E', tag: string, text: string): void {
    const time = new Date().toISOString().slice(5, 23).replace('T', ' ');
    const line = `${time}  1000  1000 ${level} ${tag}: ${text}\n`;
    this.#log.push(line);
    if (this.#log.length > 200) this.#log.shift();
    for (const sink of this.#logSinks) sink(line);
  }

  clearLog(): void {
    this.#log.length = 0;
  }

  followLog(sink: LogSink): () => void {
    this.#logSinks.add(sink);
    return () => this.#logSinks.delete(sink);
  }

  /** Number of open `logcat` programs. */
  get logReaders(): number {
    return this.#logSinks.size;
  }

  /**
   * Starts the server of the UiAutomator2 driver, as `am instrument` does.
   * @param ended called with the output of `am instrument` when the server ends
   * @returns a function that ends it
   */
  instrument(ended: (output: string) => void): () => void {
    this.#instrumentation.add(ended);
    const start = () => {
      this.uiAutomator.isRunning = true;
      this.startProcess(SERVER_PACKAGE);
    };
    const timer = this.startMs === null ? undefined : setTimeout(start, this.startMs);
    return () => {
      clearTimeout(timer);
      this.#instrumentation.delete(ended);
      if (this.#instrumentation.size === 0) this.stopInstrumentation();
    };
  }

  /** Ends the server of the UiAutomator2 driver, and with it its sessions and connections. */
  stopInstrumentation(output = 'INSTRUMENTATION_CODE: -1\n'): void {
    this.uiAutomator.stop();
    this.processes.delete(SERVER_PACKAGE);
    for (const ended of [...this.#instrumentation]) ended(output);
    this.#instrumentation.clear();
  }

  /** Ends the server of the UiAutomator2 driver as if it had crashed. */
  crash(): void {
    this.stopInstrumentation('INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n');
  }

  #addPackage(name: string, isSystem: boolean): void {
    const { apiLevel, release } = this.facts;
    this.packages.set(name, { name, versionCode: apiLevel, versionName: release, isSystem });
  }
}
