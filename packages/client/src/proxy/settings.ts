import { parseArgs } from 'node:util';
import type { KeyPair } from '../credentials.ts';
import { type Environment, labSettings, type ReadFile, UnusableSetting } from '../environment.ts';
import type { BearerAudience } from '../wire.ts';

export interface ProxySettings {
  readonly to: string;
  readonly host: string;
  readonly port: number;
  readonly pair: KeyPair;
  /** Audience of the bearer tokens that requests carry. If absent, requests carry the key pair itself. */
  readonly bearer?: BearerAudience;
  /**
   * Whether to add the key pair to the capabilities of create-session requests. If false, the capabilities stay
   * unchanged.
   */
  readonly addToCreates: boolean;
  readonly allowedOrigins: readonly string[];
}

const DEFAULT_PORT = 4724;
const AUDIENCES: readonly BearerAudience[] = ['svc-rest', 'svc-mcp'];

export const USAGE = `Usage: svc proxy [--to <url>] [--port <port>] [--host 127.0.0.1|::1] [--bearer svc-rest|svc-mcp]
                 [--no-create-credentials] [--allow-origin <origin>]...

Listens on this machine only and adds your credentials to all WebDriver traffic it forwards, for tools that cannot
do it themselves: as headers to every request, and as svc:options to the capabilities of every create. Point the
tool at the address it prints.

  --to                     scheme, host and port of the service (or SVC_URL, or the only lab of \`svc login\`)
  --port                   default ${DEFAULT_PORT}; 0 means any free port
  --host                   127.0.0.1 (default) or ::1
  --bearer                 sends bearer tokens for this audience instead of the key pair and renews them before they
                           expire; creates still carry the pair
  --no-create-credentials  forwards the capabilities of creates unchanged
  --allow-origin           a page or desktop tool that sends this Origin may use the proxy; may be repeated

Credentials come from SVC_ACCESS_KEY and SVC_TOKEN, or from the files that SVC_ACCESS_KEY_FILE and SVC_TOKEN_FILE
name, otherwise from \`svc login\`; never from the command line, which every user of the machine can read.
`;

/**
 * Reads the command line and the environment. Throws an `UnusableSetting` if a value is missing or invalid.
 * @returns the settings, or undefined if `--help` is among the arguments
 */
export function readProxySettings(
  args: readonly string[],
  env: Environment,
  readFile: ReadFile,
): ProxySettings | undefined {
  const values = optionsOf(args);
  if (values.help) return undefined;
  const bearer = AUDIENCES.find((audience) => audience === values.bearer);
  if (values.bearer !== undefined && bearer === undefined) {
    throw new UnusableSetting('--bearer must be svc-rest or svc-mcp');
  }
  const { url, pair } = labSettings(env, { address: values.to ?? env.SVC_URL, readFile });
  return {
    to: url,
    host: hostOf(values.host),
    port: portOf(values.port),
    pair,
    addToCreates: values['no-create-credentials'] !== true,
    allowedOrigins: values['allow-origin'] ?? [],
    ...(bearer === undefined ? {} : { bearer }),
  };
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        to: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        bearer: { type: 'string' },
        'no-create-credentials': { type: 'boolean' },
        'allow-origin': { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch {
    // The parser's own message repeats the arguments, which may contain a token, so a new message replaces it.
    const name = args
      .map((arg) => /^--?[a-z-]+/i.exec(arg)?.[0])
      .find((arg) => /key|token|pass/i.test(arg ?? ''));
    throw new UnusableSetting(
      name === undefined
        ? 'An option is unknown or lacks its value; --help lists the options'
        : `${name}: credentials are never taken from the command line; --help says where they come from`,
    );
  }
}

function hostOf(text = '127.0.0.1'): string {
  if (text === 'localhost') return '127.0.0.1';
  if (text === '127.0.0.1' || text === '::1') return text;
  throw new UnusableSetting(
    '--host must be 127.0.0.1 or ::1, because a program that reaches the proxy acts as you',
  );
}

function portOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UnusableSetting('--port must be a whole number from 0 to 65535');
}
