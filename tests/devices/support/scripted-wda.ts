import { createServer } from 'node:http';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A WebDriverAgent that answers what the lab asks, and its MJPEG server. */
export interface ScriptedWda {
  readonly url: string;
  readonly port: number;
  /** Requests so far: method, path below the session and body. */
  readonly asked: readonly string[];
  /** Ends the session, as that of a driver does. */
  replaceSession(): void;
  close(): void;
}

export async function scriptedWda(): Promise<ScriptedWda> {
  const asked: string[] = [];
  let sessions = 0;
  let current = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const send = (status: number, value: unknown) => {
        response.statusCode = status;
        response.end(JSON.stringify({ value, sessionId: current }));
      };
      if (path === '/') {
        response.setHeader('content-type', 'multipart/x-mixed-replace; boundary=b');
        const picture = Buffer.from(PNG, 'base64');
        const head = `--b\r\nContent-Type: image/png\r\nContent-Length: ${picture.length}\r\n\r\n`;
        response.write(Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--b\r\n')]));
        return;
      }
      const [, id, rest = path] = /^\/session\/([^/]+)(\/.*)$/.exec(path) ?? [];
      asked.push(`${request.method} ${rest} ${Buffer.concat(chunks).toString()}`.trim());
      if (path === '/status') return send(200, { ready: true });
      if (path === '/screenshot') return send(200, PNG);
      if (path === '/session') {
        sessions += 1;
        current = `lab-${sessions}`;
        return send(200, { sessionId: current, capabilities: {} });
      }
      if (id !== current) return send(404, { error: 'invalid session id', message: 'gone' });
      return send(200, rest === '/window/size' ? { width: 390, height: 844 } : null);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    replaceSession: () => {
      current = 'of-a-driver';
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
