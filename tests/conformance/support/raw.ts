import { connect } from 'node:net';

/**
 * Sends bytes unchanged.
 * @returns what is received until the server closes the connection or enough has arrived
 */
export function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
    });
    socket.once('error', failed);
    socket.once('close', () => done(answer));
  });
}

/**
 * Sends a POST without the last byte of its body and waits until the server has read the headers.
 * @returns a function that sends the last byte and returns the whole response
 */
export function holdOpen(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<() => Promise<string>> {
  const { hostname, port, host } = new URL(url);
  const all = { host, origin: url, 'content-type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${body.length}\r\nexpect: 100-continue\r\nconnection: close\r\n`;
  return new Promise((held, failed) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n`);
    });
    let answer = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.once('error', failed);
    socket.setEncoding('utf8').on('data', (part: string) => {
      // Node.js writes `100 Continue` when it passes the request on, so the guard has run when the client receives it.
      if (answer === '') socket.write(body.slice(0, -1), () => held(finish));
      answer += part;
    });
    const closed = new Promise<string>((done) => socket.once('close', () => done(answer)));
    const finish = () => {
      socket.write(body.slice(-1));
      return closed.then((whole) => whole.slice(whole.indexOf('\r\n\r\n') + 4));
    };
  });
}
