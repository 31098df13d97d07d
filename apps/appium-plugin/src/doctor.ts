import { processSources } from '@svc/api';
import { examine, type Finding } from '@svc/cli';
import { readConfig } from '@svc/settings';

/** One check that `appium plugin doctor svc` runs, in the form of Appium's `IDoctorCheck`. */
interface DoctorCheck {
  diagnose(): Promise<{ ok: boolean; optional: boolean; message: string }>;
  fix(): Promise<string | null>;
  hasAutofix(): boolean;
  isOptional(): boolean;
}

let examined: Promise<Finding[]> | undefined;

/**
 * Examines the server at the first call and returns the same findings to all checks. It reads settings from the
 * environment only, because `appium plugin doctor` does not get the server's plugin options.
 */
function findings(): Promise<Finding[]> {
  examined ??= examine({ ...readConfig(processSources()), basePath: '', now: Date.now() });
  return examined;
}

const IS_BAD = new Set(['warning', 'failure']);

/** Creates a doctor check that reports the findings of the checks with these names. */
function checkOf(...names: readonly string[]): DoctorCheck {
  let found: readonly Finding[] = [];
  const bad = () => found.filter(({ outcome }) => IS_BAD.has(outcome));
  const isOptional = () => bad().every(({ outcome }) => outcome === 'warning');
  return {
    diagnose: async () => {
      found = (await findings()).filter(({ check }) => names.includes(check));
      const shown = bad().length > 0 ? bad() : found;
      const message = shown.map((each) => each.message).join('; ') || `${names[0]}: nothing to check`;
      return { ok: bad().length === 0, optional: isOptional(), message };
    },
    fix: async () =>
      bad()
        .map(({ fix }) => fix)
        .join(' ') || null,
    hasAutofix: () => false,
    isOptional,
  };
}

export const node = checkOf('node-js');
export const settings = checkOf('settings');
export const signIn = checkOf('sign-in', 'enforcement');
export const addresses = checkOf('spoofable-address');
export const files = checkOf('file-modes');
export const signingKeys = checkOf('signing-key');
export const schema = checkOf('schema');
export const passwords = checkOf('default-password');
export const auditTrail = checkOf('audit-trail');
export const clock = checkOf('clock', 'node-clock');
export const backups = checkOf('backups');
export const server = checkOf('server', 'session-discovery');
export const cookie = checkOf('cookie-flags');
export const proxy = checkOf('proxy', 'proxy-headers', 'proxy-authorization', 'proxy-host', 'proxy-upgrade');
export const nodes = checkOf(
  'node',
  'node-address',
  'node-keys',
  'hub',
  'node-key',
  'node-registration',
  'node-connections',
);
