import type { AgentWebDriver, JsonObject, WebDriverRequest, WebDriverResponse } from '../ports.ts';
import { failure, fromDevice, type ToolResult } from '../results.ts';
import { type ToolContext, type ToolDefinition, tool } from './tool.ts';

export const NO_PHONES =
  'This server runs no phones, so it cannot start or drive sessions. Connect to the Appium server of the lab that has the phones.';

const UNKNOWN_SESSION =
  'There is no running session of yours with this id. Call start_session for a new one, or list_sessions for those that run.';

/** Maximum size of a WebDriver response that a tool reads, in bytes. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Context that a tool gets, in addition to its input, if it drives a running session. */
export interface SessionContext extends ToolContext {
  readonly webDriver: AgentWebDriver;
  /** Path of the session below the base path, such as `/session/<id>`. */
  readonly path: string;
  /** Platform of the phone in lower case, or an empty text if it is unknown. */
  readonly platform: string;
  /** Sends a WebDriver command. Throws `DriverRefusal` if the driver or an access rule refuses it. */
  send(request: WebDriverRequest): Promise<unknown>;
}

/**
 * Error for a WebDriver error response. Its message may come from the device. It is therefore kept apart from text of
 * the server, so that an agent cannot mistake it for an instruction of the server.
 */
class DriverRefusal extends Error {
  readonly error: string;

  constructor({ status, value }: WebDriverResponse) {
    const { error, message } = asObject(value);
    super(typeof message === 'string' ? message : `HTTP status ${status}`);
    this.error = typeof error === 'string' && /^[a-z ]{1,60}$/.test(error) ? error : 'unknown error';
  }
}

type SessionInput = { readonly sessionId: string };

/** Defines a tool that drives a running session of the caller. */
export function sessionTool<Input extends SessionInput>(
  definition: Omit<ToolDefinition, 'run' | 'scope'> & {
    run(input: Input, context: SessionContext): ToolResult | Promise<ToolResult>;
  },
): ToolDefinition {
  return tool<Input>({
    ...definition,
    scope: 'auto:use',
    run: async (input, context) => {
      const webDriver = context.lab.webDriver();
      if (webDriver === null) return failure(NO_PHONES);
      const platform = webDriver.platformOf(context.agent.caller, input.sessionId);
      if (platform === undefined) return failure(UNKNOWN_SESSION);
      return await reporting(() =>
        definition.run(input, {
          ...context,
          webDriver,
          path: `/session/${encodeURIComponent(input.sessionId)}`,
          platform: platform?.toLowerCase() ?? '',
          send: (request) => send(context, webDriver, request),
        }),
      );
    },
  });
}

/** Runs a tool. If the driver or an access rule refuses a command, returns an error result that says so. */
export async function reporting(run: () => ToolResult | Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DriverRefusal)) throw error;
    const advice = ADVICE[error.error] ?? 'Read the message, change the arguments, and try again.';
    return fromDevice(`The command was refused with "${error.error}". ${advice}`, error.message, {
      isError: true,
    });
  }
}

export async function send(
  { agent }: ToolContext,
  webDriver: AgentWebDriver,
  request: WebDriverRequest,
): Promise<unknown> {
  const response = await webDriver.send(agent, request, MOST_BYTES);
  if (response.status >= 400) throw new DriverRefusal(response);
  return response.value;
}

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

const ADVICE: Readonly<Record<string, string>> = {
  'invalid session id': UNKNOWN_SESSION,
  'no such element': 'Call get_page_source to see which elements are on the screen.',
  'stale element reference': 'The screen has changed: call find_elements again for new ids.',
  'unknown command': 'The driver of this phone does not support this.',
  'unknown method': 'The driver of this phone does not support this.',
  'session not created':
    'No session was started. If no phone is free, call list_devices, or start_session with queueSeconds. If the message says limit_reached, end a session of yours with end_session, or wait until tomorrow (UTC) if the minutes are used up.',
  'invalid argument': 'Check the arguments, for example the strategy in `using`.',
};
