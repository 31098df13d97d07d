import { createServer, type Server } from 'node:net';

/**
 * Starts the console of an emulator, in which drivers look up the name of its virtual device.
 * @param port port of loopback, or 0 for any free port
 */
export async function startEmulatorConsole(port: number, avd: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).setEncoding('utf8');
    socket.write("Android Console: type 'help' for a list of commands\r\nOK\r\n");
    let pending = '';
    socket.on('data', (text: string) => {
      const lines = `${pending}${text}`.split(/\r?\n/);
      pending = lines.pop() ?? '';
      for (const line of lines) {
        if (/^(?:quit|exit)$/.test(line)) socket.end();
        else socket.write(line === 'avd name' ? `${avd}\r\nOK\r\n` : 'OK\r\n');
      }
    });
  });
  await new Promise<void>((listens, failed) =>
    server.once('error', failed).listen(port, '127.0.0.1', listens),
  );
  return server;
}

/** Emulators use the even ports from here for their consoles. */
const FIRST_PORT = 5554;
const LAST_PORT = 5682;

/** @returns a port that an emulator can have and on which no program of this host listens */
export async function freeConsolePort(): Promise<number> {
  for (let port = FIRST_PORT; port <= LAST_PORT; port += 2) {
    try {
      const server = await startEmulatorConsole(port, '');
      await new Promise((closed) => server.close(closed));
      return port;
    } catch {
      // Another program uses the port.
    }
  }
  throw new Error(`no port from ${FIRST_PORT} to ${LAST_PORT} is free`);
}
