import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A plugin with a command, `POST /session/:id/appium/hold`, that sends the address of its server to the test and runs
 * until the test lets it end. It also calls back while a session is created and deleted.
 */
export const HOLDING_PLUGIN = `
  static newMethodMap = {
    '/session/:sessionId/appium/hold': { POST: { command: 'hold' } },
  };
  async hold(next, driver) {
    const { serverHost, serverPort, serverPath } = driver;
    const base = 'http://' + serverHost + ':' + serverPort + serverPath;
    return await (await fetch(process.env.HELD_COMMANDS, { method: 'POST', body: base })).text();
  }
  async callBack(when, driver) {
    const { serverHost, serverPort, serverPath, sessionId } = driver;
    const answer = await fetch('http://' + serverHost + ':' + serverPort + serverPath + '/session/' + sessionId + '/timeouts');
    log.info('called back during ' + when + ': ' + answer.status);
  }
  async createSession(next, umbrella) {
    const created = await next();
    if (created.value) await this.callBack('create', umbrella.sessions[created.value[0]]);
    return created;
  }
  async deleteSession(next, umbrella, id) {
    await this.callBack('delete', umbrella.sessions[id]);
    return await next();
  }
`;

export interface HeldCommand {
  /** Base URL that the plugin was given: scheme, host, port and path. */
  readonly base: string;
  /** Lets the command end. */
  release(): void;
}

export interface HeldCommands {
  /** Environment variables for the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the plugin's next command runs. */
  next(): Promise<HeldCommand>;
  close(): void;
}

/** Starts the server at which the plugin's commands wait. */
export async function holdCommands(): Promise<HeldCommands> {
  const waiting: ((held: HeldCommand) => void)[] = [];
  const hold = (base: string, res: ServerResponse) => {
    waiting.shift()?.({ base, release: () => res.end('released') });
  };
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (part) => {
      body += part;
    });
    req.once('end', () => hold(body, res));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    env: { HELD_COMMANDS: `http://127.0.0.1:${port}` },
    next: () => new Promise((held) => waiting.push(held)),
    close: () => server.close(),
  };
}
