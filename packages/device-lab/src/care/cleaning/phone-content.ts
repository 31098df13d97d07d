/** Values of a phone that cleaning sets back. Null if the phone has no value. */
export interface PhoneValues {
  /** Whether the screen turns with the phone: `1` or `0`. */
  readonly autoRotation: string | null;
  /** Orientation of the screen, `0` to `3`. */
  readonly rotation: string | null;
  readonly httpProxy: string | null;
  readonly locale: string | null;
}

/** What is on a phone, as far as cleaning removes or changes it (contract 17.3). */
export interface PhoneContent {
  /** Packages that are not part of the system. */
  readonly packages: readonly string[];
  /** Paths of files and folders below `CLEANED_FOLDERS`, or null if only apps are cleaned. */
  readonly files: readonly string[] | null;
  readonly values: PhoneValues | null;
}

/** What was read from a phone now. */
export interface ReadContent extends PhoneContent {
  /** False if the phone has more files than were read. */
  readonly isComplete: boolean;
  /** API level of Android, or 0 if it is not known. */
  readonly apiLevel: number;
}

const CLEANED_FOLDERS = [
  '/sdcard/Download',
  '/sdcard/Pictures',
  '/sdcard/Movies',
  '/data/local/tmp',
] as const;

/** Maximum number of bytes that one command reads from a phone. */
export const LARGEST_CONTENT = 4 * 1024 * 1024;

const PACKAGE = /^[A-Za-z]\w*(?:\.\w+)+$/;
const LONGEST_PACKAGE = 255;
const DRIVER_HELPER = /^io\.appium\./;

const VALUES: Readonly<Record<keyof PhoneValues, string>> = {
  autoRotation: 'settings get system accelerometer_rotation',
  rotation: 'settings get system user_rotation',
  httpProxy: 'settings get global http_proxy',
  locale: 'getprop persist.sys.locale; getprop ro.product.locale',
};

/**
 * Returns the command whose output `readContent` reads.
 * @param mark random word that begins each part of the output. It must be new for each read. Otherwise a user of the
 * phone could create files and values whose text contains the mark, and hide others from the cleaning.
 */
export function contentCommand(mode: 'apps' | 'data', mark: string): string {
  const parts = [`echo ${mark}:packages`, `pm list packages -3 && echo ${mark}:listed`];
  parts.push(`echo ${mark}:sdk`, 'getprop ro.build.version.sdk');
  if (mode === 'data') {
    for (const [name, command] of Object.entries(VALUES)) parts.push(`echo ${mark}:${name}`, command);
    parts.push(`[ -d /sdcard/ ] && echo ${mark}:mounted`);
    // The files come last, because only they can be too many to be read.
    parts.push(`echo ${mark}:files`, `find ${CLEANED_FOLDERS.join(' ')} -print0 2>/dev/null`);
  }
  return [...parts, `echo ${mark}:end`].join('; ');
}

/**
 * Reads the output of `contentCommand`.
 * @returns undefined if a part is missing. A list that failed, or storage that is not mounted yet, must not be taken for
 * an empty phone, because cleaning would then remove everything.
 */
export function readContent(mode: 'apps' | 'data', mark: string, output: string): ReadContent | undefined {
  const parts = new Map<string, string>();
  for (const part of output.split(`${mark}:`).slice(1)) {
    const end = part.search(/\r?\n/);
    const name = end === -1 ? part : part.slice(0, end);
    parts.set(name, end === -1 ? '' : part.slice(end).replace(/^\r?\n/, ''));
  }
  const packages = parts.get('packages');
  const names = Object.keys(VALUES) as (keyof PhoneValues)[];
  if (packages === undefined || !parts.has('listed') || !parts.has('sdk')) return undefined;
  if (mode === 'data' && ![...names, 'mounted', 'files'].every((name) => parts.has(name))) return undefined;
  const isComplete = parts.has('end');
  if (mode === 'apps' && !isComplete) return undefined;
  return {
    packages: packagesIn(packages),
    files: mode === 'data' ? filesIn(parts.get('files') as string, isComplete) : null,
    values:
      mode === 'data'
        ? (Object.fromEntries(
            names.map((name) => [name, valueIn(parts.get(name))]),
          ) as unknown as PhoneValues)
        : null,
    apiLevel: Number(/^\d{1,3}/.exec(parts.get('sdk') ?? '')?.[0] ?? 0),
    isComplete,
  };
}

/** Whether cleaning may uninstall a package: never the helpers of the drivers, and no name that is not one. */
export function mayUninstall(name: string): boolean {
  return PACKAGE.test(name) && name.length <= LONGEST_PACKAGE && !DRIVER_HELPER.test(name);
}

function packagesIn(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const name = /^package:(\S+)$/.exec(line.trim())?.[1];
    return name !== undefined && PACKAGE.test(name) ? [name] : [];
  });
}

function filesIn(text: string, isComplete: boolean): string[] {
  const paths = text.split('\0');
  // After the last path comes nothing, or the beginning of a path that was not read to its end.
  const whole = isComplete ? paths : paths.slice(0, -1);
  return whole.filter((path) => CLEANED_FOLDERS.some((folder) => path.startsWith(`${folder}/`)));
}

function valueIn(text: string | undefined): string | null {
  const value = (text ?? '').trimStart().split(/\r?\n/, 1)[0]?.trim() ?? '';
  return value === '' || value === 'null' ? null : value;
}
