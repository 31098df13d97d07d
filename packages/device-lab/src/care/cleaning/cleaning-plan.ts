import { mayUninstall, type PhoneContent, type PhoneValues, type ReadContent } from './phone-content.ts';

/** Commands that clean a phone, and what they remove. */
export interface CleaningPlan {
  readonly commands: readonly string[];
  /** Packages and paths that are removed, and names of values that are set back. */
  readonly removed: readonly string[];
}

/** What a cleaning removes or sets back, and why. */
export interface PlannedRemoval {
  /** Name of a package, path of a file or folder, or name of a value. */
  readonly name: string;
  readonly why: string;
}

/** Returns why each item of a plan is removed. */
export function reasonsOf(plan: CleaningPlan, before: PhoneContent, now: ReadContent): PlannedRemoval[] {
  const packages = new Set(now.packages);
  return plan.removed.map((name) => {
    if (packages.has(name)) return { name, why: 'it was not installed when the holder began' };
    if (name.startsWith('/')) return { name, why: 'it was not there when the holder began' };
    const value = name as keyof PhoneValues;
    return {
      name,
      why: `it was ${before.values?.[value] ?? 'unset'} and is ${now.values?.[value] ?? 'unset'}`,
    };
  });
}

/** Maximum length of a command that deletes several files. Old Android releases read at most 4 KiB of a command. */
const LONGEST_COMMAND = 2_000;
const LOCALE = /^([a-z]{2,3})(?:-([A-Z][a-z]{3}))?(?:-([A-Z]{2}|\d{3}))?$/;
const HELPER = 'io.appium.settings';

/** Returns a text as one argument of the phone's shell, whatever it contains. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Compares what is on a phone with what was there before. Empty if the phone is clean (contract 17.3). */
export function planCleaning(before: PhoneContent, now: ReadContent): CleaningPlan {
  const commands: string[] = [];
  const removed: string[] = [];
  const kept = new Set(before.packages);
  for (const name of now.packages) {
    if (kept.has(name) || !mayUninstall(name)) continue;
    commands.push(`pm uninstall ${quoted(name)}`);
    removed.push(name);
  }
  const files = before.files === null ? [] : newPaths(before.files, now.files ?? []);
  commands.push(...deletions(files));
  removed.push(...files);
  if (before.values !== null && now.values !== null) {
    for (const [name, command] of valueCommands(before.values, now.values)) {
      commands.push(command);
      removed.push(name);
    }
  }
  return { commands, removed };
}

/** Returns the command that empties the clipboard, or null if the version of Android has none. */
export function clipboardCommand(apiLevel: number): string | null {
  // `clearPrimaryClip` has been the second method of Android's clipboard service since version 9.
  if (apiLevel < 28) return null;
  const rest = apiLevel < 33 ? 'i32 0' : "s16 '' i32 0 i32 0";
  return `service call clipboard 2 s16 com.android.shell ${rest}`;
}

/** @returns the new paths, without those below a new folder, which is deleted with its content */
function newPaths(before: readonly string[], now: readonly string[]): string[] {
  const known = new Set(before);
  const added = now.filter((path) => !known.has(path)).sort();
  const isAdded = new Set(added);
  return added.filter((path) => {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (isAdded.has(path.slice(0, end))) return false;
    return true;
  });
}

function deletions(paths: readonly string[]): string[] {
  const commands: string[] = [];
  let command = '';
  for (const path of paths) {
    const argument = ` ${quoted(path)}`;
    if (command !== '' && command.length + argument.length > LONGEST_COMMAND) {
      commands.push(command);
      command = '';
    }
    command = (command || 'rm -rf --') + argument;
  }
  return command === '' ? commands : [...commands, command];
}

/** An unset proxy and `:0` are the same to Android. */
const proxyOf = (value: string | null) => value ?? ':0';

function valueCommands(before: PhoneValues, now: PhoneValues): [string, string][] {
  const all: [string, string | null][] = [
    ['autoRotation', setting('system', 'accelerometer_rotation', before.autoRotation, now.autoRotation)],
    ['rotation', setting('system', 'user_rotation', before.rotation, now.rotation)],
    // Deleting the setting would take effect only after a restart of the phone.
    ['httpProxy', setting('global', 'http_proxy', proxyOf(before.httpProxy), proxyOf(now.httpProxy))],
    ['locale', localeCommand(before.locale, now.locale)],
  ];
  return all.flatMap(([name, command]) => (command === null ? [] : [[name, command]]));
}

function setting(namespace: string, name: string, before: string | null, now: string | null): string | null {
  if (before === now) return null;
  return before === null
    ? `settings delete ${namespace} ${name}`
    : `settings put ${namespace} ${name} ${quoted(before)}`;
}

/** The shell may not change the locale, so the helper of the UiAutomator2 driver does, as for the driver. */
function localeCommand(before: string | null, now: string | null): string | null {
  if (before === now || before === null) return null;
  const [, language, script, country] = LOCALE.exec(before) ?? [];
  // This command changes nothing, so that the cleaning fails and the phone is put out of service.
  if (language === undefined) return 'true';
  const parts = [`am broadcast -a ${HELPER}.locale -n ${HELPER}/.receivers.LocaleSettingReceiver`];
  parts.push(`--es lang ${language}`);
  if (country !== undefined) parts.push(`--es country ${country}`);
  if (script !== undefined) parts.push(`--es script ${script}`);
  return parts.join(' ');
}
