import { parseArgs } from 'node:util';
import { commandHeaders } from '../command-headers.ts';
import { labSettings } from '../environment.ts';
import { startProxy } from '../proxy/server.ts';
import { SvcClient } from '../rest-client.ts';
import { type Command, plainText, UsageError } from './command.ts';

export const inspector: Command = {
  usage: `inspector [<udid>|<session>] [--port <port>] [--allow-origin <origin>]...

Opens a local address for the desktop app of Appium Inspector and prints what to paste into it. The app then uses a
running session of yours: the one that you name, the one on the phone that you name, or your only one. Ends with
Ctrl+C.

  --port <port>             local port (default: any free port)
  --allow-origin <origin>   a page or desktop tool that sends this Origin may use the address; may be repeated
`,
  run: async (args, env, io) => {
    const { wanted, port, allowedOrigins } = read(args);
    const { url, pair } = labSettings(env);
    const client = new SvcClient({ url, credential: pair });
    const id = await sessionOf(client, wanted);
    const { webDriver } = await client.call('capabilities');
    const headers = commandHeaders(pair);
    const proxy = await startProxy({ to: url, port, allowedOrigins, headers, socketHeaders: headers });
    const local = new URL(proxy.url);
    io.out(
      [
        'In Appium Inspector, open the tab "Appium Server", then "Attach to Session":',
        `  Remote Host  ${local.hostname}`,
        `  Remote Port  ${local.port}`,
        `  Remote Path  ${plainText(webDriver.basePath || '/')}`,
        `  Session      ${plainText(id)}`,
        '',
      ].join('\n'),
    );
    await new Promise<void>((stopped) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopped());
    });
    await proxy.close();
    return 0;
  },
};

/** Finds the running session that the argument names by its id or phone. Without an argument, there must be only one. */
export async function sessionOf(
  client: Pick<SvcClient, 'call'>,
  wanted: string | undefined,
): Promise<string> {
  const running = await client.call('listSessions', { query: { status: 'running' } });
  const fits = running.filter(
    ({ id, device }) => wanted === undefined || id === wanted || device?.udid === wanted,
  );
  const [found, ...more] = fits;
  if (found === undefined)
    throw new Error(
      wanted === undefined ? 'you have no running session' : `no running session fits ${wanted}`,
    );
  if (more.length > 0) throw new Error('you have more than one running session; name one, or its phone');
  return found.id;
}

function read(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { port: { type: 'string' }, 'allow-origin': { type: 'string', multiple: true } },
    allowPositionals: true,
  });
  const port = Number(values.port ?? 0);
  if (positionals.length > 1 || !Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError();
  return { wanted: positionals[0], port, allowedOrigins: values['allow-origin'] ?? [] };
}
