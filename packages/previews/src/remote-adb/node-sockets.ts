import { API_PREFIX, HEADERS } from '@svc/contract';
import type { Device, DeviceLab } from '@svc/device-lab';
import type { NodeClient, Nodes } from '@svc/nodes';
import { maskOptions } from '@svc/outbound/forward';
import type { WebSocket } from 'ws';
import type { PhoneProgram } from './phone-program.ts';

/** Opens sockets of phones that belong to nodes. */
export interface NodeSockets {
  /** Rejects with an error whose message the client may see. */
  open(device: Device, node: string): Promise<WebSocket>;
}

interface Tools {
  readonly program: PhoneProgram['name'];
  readonly nodes: Pick<Nodes, 'byName'>;
  readonly client: Pick<NodeClient, 'tokens' | 'connection'>;
  readonly lab: Pick<DeviceLab, 'lesseeOf'>;
}

const CONNECT_MS = 5_000;
/** Maximum size of a message from a node (bytes). */
const LARGEST_MESSAGE = 4 * 1024 * 1024;

/** Each socket gets a token of its own, which the node redeems once for this phone (contract 8). */
export function nodeSockets({ program, nodes, client, lab }: Tools): NodeSockets {
  return {
    open: async (device, name) => {
      const node = nodes.byName(name);
      if (node === undefined || node.isAway)
        throw new Error(`node ${name} offers no ${program} for this phone`);
      const { udid } = device;
      const phone = { node: node.name, udid, lessee: lab.lesseeOf(udid) };
      const token = await client.tokens.forControl(phone, program, null);
      const { WebSocket: Socket } = await import('ws');
      const origin = node.url.replace(/^http/, 'ws');
      const socket = new Socket(
        `${origin}${API_PREFIX}/control/${encodeURIComponent(device.udid)}/${program}`,
        {
          handshakeTimeout: CONNECT_MS,
          maxPayload: LARGEST_MESSAGE,
          perMessageDeflate: false,
          followRedirects: false,
          ...maskOptions(node.url),
          ...client.connection(node),
          headers: { [HEADERS.hubToken]: token },
        },
      );
      await new Promise<void>((opened, failed) => {
        socket.once('open', opened);
        socket.once('error', () => failed(new Error(`node ${name} could not be reached`)));
      });
      socket.on('error', () => undefined);
      return socket;
    },
  };
}
