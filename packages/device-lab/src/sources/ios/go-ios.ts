import { execFile } from 'node:child_process';

/** Facts that go-ios reads from a phone. */
interface IosDetails {
  readonly name: string;
  readonly osVersion: string;
  /** Apple's name of the model, such as `iPhone14,5`. */
  readonly model?: string | null;
}

/**
 * Result of running go-ios: the details, `absent` if go-ios is not installed, or `unreadable` if it could not read the
 * phone, usually because the phone does not trust this host.
 */
export type IosDetailsResult = IosDetails | 'unreadable' | 'absent';

const LARGEST_OUTPUT = 1024 * 1024;

/**
 * Runs `ios info --udid=<udid>` of go-ios, which prints the values of the phone as JSON. `ios list --details` would
 * read all phones in one call. But it fails as soon as one of them does not trust this host, and its output does not
 * contain the names of the phones.
 * @param env the whole environment of the program
 */
export async function goIosDetails(
  udid: string,
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<IosDetailsResult> {
  const { stdout, failure } = await runGoIos(['info', `--udid=${udid}`], env, timeoutMs);
  return failure ?? detailsOf(stdout);
}

/**
 * Runs go-ios.
 * @param env the whole environment of the program
 * @returns what it prints, and why it failed, or null if it did not fail. Never rejects.
 */
export function runGoIos(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<{ readonly stdout: string; readonly failure: 'absent' | 'unreadable' | null }> {
  const limits = { timeout: timeoutMs, maxBuffer: LARGEST_OUTPUT, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    try {
      execFile('ios', args, { env, windowsHide: true, ...limits }, (error, stdout) => {
        const isAbsent = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
        resolve({ stdout, failure: error === null ? null : isAbsent ? 'absent' : 'unreadable' });
      });
    } catch {
      // `execFile` reports a missing program to its callback, but throws most other errors that prevent a start, for
      // example while the file of go-ios is being replaced. go-ios is then installed, so the result is not `absent`.
      resolve({ stdout: '', failure: 'unreadable' });
    }
  });
}

function detailsOf(stdout: string): IosDetailsResult {
  try {
    const { DeviceName, ProductType, ProductVersion } = JSON.parse(stdout) as Record<string, unknown>;
    const name = [DeviceName, ProductType].find((text) => typeof text === 'string' && text !== '');
    if (typeof name !== 'string' || typeof ProductVersion !== 'string') return 'unreadable';
    const model = typeof ProductType === 'string' ? ProductType : null;
    return { name: withFamily(name, ProductType), osVersion: ProductVersion, model };
  } catch {
    return 'unreadable';
  }
}

/**
 * Adds the family of the device (`iPhone`, `iPad`) to its name if the name does not contain it. A session that requests
 * a family gets only devices whose name contains the family, so it could not get the device otherwise.
 */
function withFamily(name: string, productType: unknown): string {
  const [family] = typeof productType === 'string' ? (/^[A-Za-z]+/.exec(productType) ?? []) : [];
  if (family === undefined || name.toLowerCase().includes(family.toLowerCase())) return name;
  return `${name} (${family})`;
}
