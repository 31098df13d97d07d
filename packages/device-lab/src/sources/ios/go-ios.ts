import { execFile } from 'node:child_process';

/** Facts that go-ios reads from a phone. */
interface IosDetails {
  readonly name: string;
  readonly osVersion: string;
}

/**
 * Result of running go-ios: the details, `unreadable` if the phone does not trust this host, or `absent` if go-ios is
 * not installed.
 */
export type IosDetailsResult = IosDetails | 'unreadable' | 'absent';

const LARGEST_OUTPUT = 1024 * 1024;

/**
 * Runs `ios info --udid=<udid>` of go-ios, which prints the values of the phone as JSON. `ios list --details` would read
 * all phones in one call, but it fails as soon as one of them does not trust this host, and it lacks their names.
 * @param env the whole environment of the program
 */
export function goIosDetails(
  udid: string,
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<IosDetailsResult> {
  const options = { env, timeout: timeoutMs, maxBuffer: LARGEST_OUTPUT, windowsHide: true } as const;
  return new Promise((resolve) => {
    const args = ['info', `--udid=${udid}`];
    try {
      execFile('ios', args, { ...options, killSignal: 'SIGKILL' }, (error, stdout) => {
        if (error !== null)
          resolve((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unreadable');
        else resolve(detailsOf(stdout));
      });
    } catch {
      // If the program cannot be started, `execFile` throws most errors instead of passing them to its callback. Such
      // an error does not mean that go-ios is missing; for example, its file is being replaced.
      resolve('unreadable');
    }
  });
}

function detailsOf(stdout: string): IosDetailsResult {
  try {
    const { DeviceName, ProductType, ProductVersion } = JSON.parse(stdout) as Record<string, unknown>;
    const name = [DeviceName, ProductType].find((text) => typeof text === 'string' && text !== '');
    if (typeof name !== 'string' || typeof ProductVersion !== 'string') return 'unreadable';
    return { name: withFamily(name, ProductType), osVersion: ProductVersion };
  } catch {
    return 'unreadable';
  }
}

/**
 * Adds the family of the device (`iPhone`, `iPad`) to its name if the owner chose a name without it. Sessions that
 * request a family get only devices whose name contains the family.
 */
function withFamily(name: string, productType: unknown): string {
  const [family] = typeof productType === 'string' ? (/^[A-Za-z]+/.exec(productType) ?? []) : [];
  if (family === undefined || name.toLowerCase().includes(family.toLowerCase())) return name;
  return `${name} (${family})`;
}
