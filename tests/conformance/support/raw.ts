import { connect } from 'node:net';

/** Sends bytes as they are and answers what comes back until the server closes or has said enough. */
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
