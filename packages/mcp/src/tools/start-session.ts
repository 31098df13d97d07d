import { CREDENTIAL_NAMESPACES, isRecord, SECRET_CAPABILITIES } from '@svc/contract';
import type { JsonObject } from '../ports.ts';
import { facts, failure } from '../results.ts';
import { CHANGES, ENDS, PLATFORM, SESSION_ID, TAGS, tool, UDID, whole } from './tool.ts';
import { asObject, NO_PHONES, reporting, send, sessionTool } from './web-driver.ts';

interface StartInput {
  readonly udid?: string;
  readonly platform?: string;
  readonly tags?: readonly string[];
  readonly capabilities?: JsonObject;
  readonly queueSeconds?: number;
}

const NO_CREDENTIALS =
  'Leave credentials out of capabilities: the session belongs to the account of your token without them.';

export const startSession = tool<StartInput>({
  name: 'start_session',
  scope: 'auto:use',
  title: 'Start a session on a phone',
  description:
    'Starts a WebDriver session on a free phone and returns its sessionId, which the other tools need. The session is yours: only you can drive it. It ends with end_session, when it is idle for too long, or when your token ends. Do not start a second session while the first one can be used. capabilities are W3C capabilities; the server adds the udid and your identity, and they never hold credentials. Example: {"udid":"virtual-1","capabilities":{"platformName":"Android","appium:automationName":"UiAutomator2"}}.',
  arguments: {
    udid: UDID,
    platform: PLATFORM,
    tags: TAGS,
    capabilities: {
      type: 'object',
      description:
        'Capabilities by name, such as platformName, appium:automationName and appium:app. The form with alwaysMatch and firstMatch is accepted, too. Without it, the usual capabilities of the lab are used if it has any.',
    },
    queueSeconds: whole(
      'Seconds to wait if every phone that fits is busy; without it the setting of the lab counts.',
      0,
      600,
    ),
  },
  required: [],
  annotations: CHANGES,
  run: async (input, context) => {
    const { agent, lab } = context;
    const webDriver = lab.webDriver();
    if (webDriver === null) return failure(NO_PHONES);
    const given = input.capabilities ?? webDriver.usualCapabilities;
    if (given === undefined)
      return failure('Pass capabilities, at least platformName and appium:automationName of the phone.');
    const candidates = candidatesOf(given);
    if (candidates === undefined) return failure('capabilities: firstMatch is not a list of objects.');
    if (candidates.some(hasCredentials)) return failure(NO_CREDENTIALS);
    const sessionToken = await webDriver.sessionToken(agent.caller);
    return reporting(async () => {
      const firstMatch = candidates.map((each) => completed(each, input, sessionToken));
      const body = { capabilities: { alwaysMatch: {}, firstMatch } };
      const value = await send(context, webDriver, { method: 'POST', path: '/session', body });
      const { sessionId, capabilities } = asObject(value);
      return facts({ sessionId, capabilities });
    });
  },
});

/**
 * @returns every combination of `alwaysMatch` with an entry of `firstMatch`, or undefined if the capabilities do not
 * have the WebDriver form
 */
function candidatesOf(given: JsonObject): readonly JsonObject[] | undefined {
  const { alwaysMatch, firstMatch } = given;
  if (alwaysMatch === undefined && firstMatch === undefined) return [given];
  const entries = firstMatch ?? [{}];
  if (!Array.isArray(entries) || !entries.every(isRecord)) return undefined;
  return entries.map((entry) => ({ ...asObject(alwaysMatch), ...entry }));
}

function hasCredentials(capabilities: JsonObject): boolean {
  return CREDENTIAL_NAMESPACES.some((namespace) => {
    const options = asObject(capabilities[namespace]);
    return SECRET_CAPABILITIES.some((name) => name !== 'leaseToken' && options[name] != null);
  });
}

function completed(
  capabilities: JsonObject,
  { udid, platform, tags, queueSeconds }: StartInput,
  sessionToken: string | undefined,
): JsonObject {
  const options = {
    ...asObject(capabilities['svc:options']),
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(queueSeconds === undefined ? {} : { queueSeconds }),
    ...(tags === undefined ? {} : { tags }),
  };
  return {
    ...capabilities,
    ...(platform === undefined ? {} : { platformName: platform }),
    ...(udid === undefined ? {} : { 'appium:udid': udid }),
    ...(Object.keys(options).length === 0 ? {} : { 'svc:options': options }),
  };
}

export const endSession = sessionTool<{ readonly sessionId: string }>({
  name: 'end_session',
  title: 'End a session',
  description:
    'Ends a session of yours, so that others can use the phone. Call it when your task is done. Example: {"sessionId":"5b1f…"}.',
  arguments: { sessionId: SESSION_ID },
  required: ['sessionId'],
  annotations: ENDS,
  run: async ({ sessionId }, { send, path }) => {
    await send({ method: 'DELETE', path });
    return facts({ sessionId, ended: true });
  },
});
