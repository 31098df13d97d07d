import { texts } from '../../../texts/en.ts';
import { REAL_PHONE } from '../first-test.ts';
import type { Device } from '../seen-devices.ts';

type Capabilities = Readonly<Record<string, unknown>>;

/**
 * Seconds without a command after which the server ends the session. The page sends a command more often than that, so
 * a closed or crashed browser does not keep the phone.
 */
const IDLE_SECONDS = 90;

const IOS = { 'appium:automationName': 'XCUITest' };
const BY_PLATFORM: Readonly<Record<string, Capabilities>> = {
  android: REAL_PHONE,
  ios: { platformName: 'iOS', ...IOS },
  tvos: { platformName: 'tvOS', ...IOS },
};

/**
 * Returns the capabilities that the form suggests for a session on this phone.
 * @param example capabilities of the lab's virtual phones, or null if the lab has none
 */
export function usualCapabilities(
  { platform }: Pick<Device, 'platform'>,
  example: Capabilities | null,
): Capabilities {
  const known = BY_PLATFORM[platform.toLowerCase()];
  if (known !== undefined) return known;
  const isExample = String(example?.platformName).toLowerCase() === platform.toLowerCase();
  return isExample && example !== null ? example : { platformName: platform };
}

const NAMESPACES = ['svc:options', 'lab:options'];
const CREDENTIALS = ['accessKey', 'token', 'sessionToken'];

/**
 * Reads the capabilities that a user wrote. Throws a sentence that says what is wrong. Refuses capabilities with
 * credentials: they are not needed, because the session belongs to the signed-in user, and a text field would show a
 * secret.
 */
export function capabilitiesIn(text: string): Capabilities {
  const words = texts.remote.options;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw words.notJson;
  }
  if (!isObject(read) || 'alwaysMatch' in read || 'firstMatch' in read) throw words.notObject;
  const hasCredentials = NAMESPACES.some((name) => {
    const options = read[name];
    return isObject(options) && CREDENTIALS.some((field) => field in options);
  });
  if (hasCredentials) throw words.noCredentials;
  return read;
}

interface CreateInput {
  readonly capabilities: Capabilities;
  readonly udid: string;
  /** Token that makes the user the owner of the session, or undefined while sign-in is off. */
  readonly sessionToken: string | undefined;
  /** Id of an app of the library that the driver installs, or undefined for none. */
  readonly app?: string | undefined;
  /** Seconds without a command after which the server ends the session. */
  readonly idleSeconds?: number;
}

/** Returns the body of the create-session request. */
export function createBody({
  capabilities,
  udid,
  sessionToken,
  app,
  idleSeconds = IDLE_SECONDS,
}: CreateInput): object {
  const options = capabilities['svc:options'];
  const ours = {
    ...(isObject(options) ? options : {}),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
  const alwaysMatch = {
    ...capabilities,
    'appium:newCommandTimeout': idleSeconds,
    ...(app === undefined ? {} : { 'appium:app': `svc:app/${app}` }),
    'appium:udid': udid,
    ...(Object.keys(ours).length === 0 ? {} : { 'svc:options': ours }),
  };
  return { capabilities: { alwaysMatch, firstMatch: [{}] } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
