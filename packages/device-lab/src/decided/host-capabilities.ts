/** Drivers for which this lab decides where they run. Appium compares the names without regard to letter case. */
export type HostDriver = 'UiAutomator2' | 'Espresso' | 'XCUITest';

/**
 * What happens to a capability that a client sends (contract 14.1):
 * - `set`: the value of the client is dropped, and the lab writes its own where the driver needs one.
 * - `matched`: the lab chooses the phone by it and then drops it.
 * - `refused`: the create-session request is refused.
 */
type HostTreatment = 'set' | 'matched' | 'refused';

/** A capability that decides on which device, port or address, or with which program of the host a session runs. */
export interface HostCapability {
  /** Name without the prefix `appium:`. */
  readonly name: string;
  readonly treatment: HostTreatment;
  /** Drivers that read the capability. */
  readonly drivers: readonly HostDriver[];
  /**
   * Set if the capability describes the device: `every` device, or `apple` if it is left to the client for devices of
   * other platforms. Such a capability stays unchanged in a lab without devices, where the driver chooses one.
   */
  readonly describes?: 'every' | 'apple';
  /** True if the capability is set instead of refused for a phone whose WebDriverAgent the lab knows (contract 14.6). */
  readonly isSetForOwn?: true;
  /** True for a port of this host that each session of these drivers needs for itself. */
  readonly isPort?: true;
  /** What a client could do with the capability, for the documentation. */
  readonly why: string;
}

const ANDROID: readonly HostDriver[] = ['UiAutomator2', 'Espresso'];
const UIA2: readonly HostDriver[] = ['UiAutomator2'];
const APPLE: readonly HostDriver[] = ['XCUITest'];
const ALL: readonly HostDriver[] = [...ANDROID, ...APPLE];
const MJPEG: readonly HostDriver[] = [...UIA2, ...APPLE];

const set = (name: string, drivers: readonly HostDriver[], why: string): HostCapability => ({
  name,
  treatment: 'set',
  drivers,
  why,
});
const port = (name: string, drivers: readonly HostDriver[], why: string): HostCapability => ({
  ...set(name, drivers, why),
  isPort: true,
});
const refused = (name: string, drivers: readonly HostDriver[], why: string): HostCapability => ({
  ...set(name, drivers, why),
  treatment: 'refused',
});

/**
 * The table of contract 14.1. It applies to every driver, whatever `automationName` says, because a driver that does
 * not know a name ignores it. `docs/guides/decided-capabilities.md` has the same rows.
 */
export const HOST_CAPABILITIES: readonly HostCapability[] = [
  { ...set('udid', ALL, 'drives a phone that somebody else has reserved'), describes: 'every' },
  port('systemPort', ANDROID, 'takes over the port of another session, whose commands then reach this phone'),
  port(
    'mjpegServerPort',
    MJPEG,
    'takes over the port of another session, or shows the screen of another phone',
  ),
  port('chromedriverPort', ANDROID, 'takes over the port of another session'),
  set('chromeDriverPort', ANDROID, 'old spelling of chromedriverPort'),
  port('webviewDevtoolsPort', ANDROID, 'takes over the port of another session'),
  port('wdaLocalPort', APPLE, 'closes the listener of another session, which then drives this phone'),
  set('derivedDataPath', APPLE, 'writes into any folder of the host, and shares a build with another phone'),
  set('adbPort', ANDROID, 'connects to another adb server'),
  set('remoteAdbHost', ANDROID, 'connects to any host'),
  {
    ...set('platformVersion', APPLE, 'chooses a simulator instead of the reserved phone'),
    describes: 'apple',
  },
  { ...set('deviceName', APPLE, 'chooses a simulator instead of the reserved phone'), describes: 'apple' },
  {
    name: 'avd',
    treatment: 'matched',
    drivers: ANDROID,
    describes: 'every',
    why: 'drives the emulator of this name instead of the reserved phone, or starts a new one',
  },
  refused('avdArgs', ANDROID, 'adds arguments to a program of the host'),
  refused('avdEnv', ANDROID, 'sets environment variables of a program of the host'),
  refused('suppressKillServer', ANDROID, 'changes how the adb server of all phones is used'),
  refused('adbListenAllNetwork', ANDROID, 'opens the adb server of all phones to other hosts'),
  refused('chromedriverPorts', ANDROID, 'takes over ports of other sessions'),
  refused('chromedriverExecutable', ANDROID, 'runs any program of the host'),
  refused('chromedriverExecutableDir', ANDROID, 'runs any program of the host'),
  refused(
    'chromedriverArgs',
    ANDROID,
    'adds arguments to a program of the host, such as a log file to write',
  ),
  refused('chromedriverChromeMappingFile', ANDROID, 'reads and overwrites any file of the host'),
  refused('mjpegScreenshotUrl', MJPEG, 'makes the host read any address'),
  refused('keystorePath', ANDROID, 'reads any file of the host'),
  refused('espressoBuildConfig', ['Espresso'], 'runs code of the client in a build on the host'),
  {
    ...refused('webDriverAgentUrl', APPLE, 'drives whatever listens at the address, such as another phone'),
    isSetForOwn: true,
  },
  refused('wdaBaseUrl', APPLE, 'drives whatever listens at the address, such as another phone'),
  refused('wdaBindingIP', APPLE, 'opens WebDriverAgent to other hosts'),
  refused('wdaRemotePort', APPLE, 'drives whatever listens at the port'),
  refused('bootstrapPath', APPLE, 'builds and runs any project of the host'),
  refused('agentPath', APPLE, 'builds and runs any project of the host'),
  refused('prebuiltWDAPath', APPLE, 'installs any app of the host as WebDriverAgent'),
  refused('xcodeConfigFile', APPLE, 'reads any file of the host, and runs programs that it names'),
  refused('keychainPath', APPLE, 'reads any keychain of the host'),
  refused('simulatorDevicesSetPath', APPLE, 'drives simulators that the lab does not know'),
  refused('remoteDebugProxy', APPLE, 'connects to any address'),
];
