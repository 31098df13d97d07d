import type { Socket } from 'node:net';
import type { PhoneFiles } from './phone-files.ts';

const HEAD = 8;
const CHUNK = 64 * 1024;
const FILE_MODE = 0o100644;
const FOLDER_MODE = 0o040755;

/** Serves `sync:`, with which adb copies files. Each message has an id of four letters, a number, and mostly a text. */
export function serveSync(files: PhoneFiles, socket: Socket): void {
  let pending = Buffer.alloc(0);
  let upload: { path: string; chunks: Buffer[] } | undefined;
  const send = (id: string, numbers: readonly number[], text: Uint8Array = Buffer.alloc(0)) => {
    const head = Buffer.alloc(4 + 4 * numbers.length);
    head.write(id, 'latin1');
    for (const [index, number] of numbers.entries()) head.writeUInt32LE(number, 4 + 4 * index);
    socket.write(Buffer.concat([head, text]));
  };
  const status = (path: string): [mode: number, size: number, modified: number] => {
    const file = files.get(path);
    if (file !== undefined) return [FILE_MODE, file.content.length, file.modified];
    return files.isFolder(path) ? [FOLDER_MODE, 4096, 1] : [0, 0, 0];
  };
  const fail = (reason: string) => send('FAIL', [Buffer.byteLength(reason)], Buffer.from(reason));
  const pull = (path: string) => {
    const file = files.get(path);
    if (file === undefined) return fail('open failed: No such file or directory');
    for (let at = 0; at < file.content.length; at += CHUNK) {
      const chunk = file.content.subarray(at, at + CHUNK);
      send('DATA', [chunk.length], chunk);
    }
    send('DONE', [0]);
  };
  const list = (path: string) => {
    for (const name of files.list(path)) {
      const text = Buffer.from(name);
      send('DENT', [...status(`${path}/${name}`), text.length], text);
    }
    send('DONE', [0, 0, 0, 0]);
  };
  const requests: Readonly<Record<string, (text: Buffer) => void>> = {
    STAT: (text) => send('STAT', status(text.toString())),
    LIST: (text) => list(text.toString()),
    RECV: (text) => pull(text.toString()),
    SEND: (text) => {
      const target = text.toString();
      upload = { path: target.slice(0, target.lastIndexOf(',')), chunks: [] };
    },
    DATA: (bytes) => upload?.chunks.push(Buffer.from(bytes)),
  };
  socket.on('data', (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= HEAD) {
      const id = pending.toString('latin1', 0, 4);
      const number = pending.readUInt32LE(4);
      if (id === 'QUIT') return void socket.end();
      // The number of DONE is the time of the file, not a length.
      const end = id === 'DONE' ? HEAD : HEAD + number;
      if (pending.length < end) return;
      const text = pending.subarray(HEAD, end);
      pending = pending.subarray(end);
      if (id === 'DONE') {
        if (upload !== undefined) files.write(upload.path, Buffer.concat(upload.chunks), number);
        upload = undefined;
        send('OKAY', [0]);
      } else if (requests[id] !== undefined) requests[id](text);
      else fail(`unknown request ${id}`);
    }
  });
}
