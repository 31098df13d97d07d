import { EventEmitter, once } from 'node:events';
import { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { ServiceSocket, type ServiceSocketTools } from '../src/remote-adb/service-socket.ts';

/** A WebSocket without a network. */
class Scripted extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly bufferedAmount = 0;
  readonly isPaused = false;
  send(content: unknown): void {
    this.emit('sent', String(content));
  }
  resume(): void {}
  close(): void {
    this.terminate();
  }
  terminate(): void {
    this.readyState = 3;
    this.emit('close', 1000);
  }
}

/** A socket of a phone whose node describes it. */
function phoneOfNode() {
  const client = new Scripted();
  const nodes: Scripted[] = [];
  const tools = {
    nodeSockets: {
      open: async () => {
        const node = new Scripted();
        nodes.push(node);
        node.once('sent', () => setImmediate(() => node.emit('message', '{"about":{}}', false)));
        return node;
      },
    },
    clock: { now: () => 0 },
  } as unknown as ServiceSocketTools;
  const opened = { socket: client as unknown as WebSocket, device: { udid: 'p1', node: 'n1' }, caller: null };
  new ServiceSocket(opened as never, tools).serve();
  return { client, nodes };
}

it("looks at a node's phone leave no listeners and no sockets behind (contract 16.3)", async () => {
  const { client, nodes } = phoneOfNode();
  const before = client.listenerCount('close');
  for (let count = 0; count < 20; count++) {
    const answered = once(client, 'sent');
    client.emit('message', '{"about":true}', false);
    expect(await answered).toEqual(['{"about":{}}']);
    await new Promise(setImmediate);
  }
  expect(client.listenerCount('close')).toBe(before);
  expect(nodes.map(({ readyState }) => readyState)).toEqual(nodes.map(() => 3));
});

it('a message that arrives after the end of a socket starts nothing (contract 16.3)', async () => {
  const { client, nodes } = phoneOfNode();
  client.readyState = 2;
  client.emit('message', '{"about":true}', false);
  await new Promise(setImmediate);
  expect(nodes).toEqual([]);
});

it('a forward of a phone is removed if the client left while adbd set it up (contract 16.2)', async () => {
  const client = new Scripted();
  const requests: string[] = [];
  const tools = {
    program: {
      name: 'adb',
      parse: (request: string) => ({ kind: 'reverse', word: null, request }),
      connect: async (_udid: string, request: string) => {
        requests.push(request.replace(/tcp:\d+$/, 'tcp:0'));
        client.terminate();
        return new Socket();
      },
    },
    hasRoom: () => true,
    nextId: () => 'id',
    clock: { now: () => 0 },
  } as unknown as ServiceSocketTools;
  const opened = { socket: client as unknown as WebSocket, device: { udid: 'p1', node: null }, caller: null };
  new ServiceSocket(opened as never, tools).serve();
  client.emit('message', '{"service":"reverse:forward:localabstract:app;tcp:8081"}', false);
  const wanted = ['reverse:forward:localabstract:app;tcp:0', 'reverse:killforward:localabstract:app'];
  await vi.waitFor(() => expect(requests).toEqual(wanted));
});
