import { API_PREFIX, HEADERS, type StreamKind } from '@svc/contract';
import type { Device } from '@svc/device-lab';
import type { NodeClient, Nodes } from '@svc/nodes';
import type { DeviceStreams } from '../relays/previews.ts';
import { mjpegUpstream } from './mjpeg-upstream.ts';
import { lineUpstream, videoUpstream } from './socket-upstreams.ts';
import type { TargetOf, UpstreamTarget } from './upstream-target.ts';

interface Tools {
  readonly nodes: Pick<Nodes, 'streaming'>;
  readonly client: Pick<NodeClient, 'tokens' | 'connection'>;
}

const PATHS: Readonly<Record<StreamKind, string>> = {
  frames: '/stream',
  video: '/stream/h264',
  lines: '/logs',
};

/**
 * Returns the streams of devices that belong to nodes. This server, the hub, checks the tickets of viewers. Each time
 * it opens a stream, it sends the node a token that is valid for one device and one kind of stream (contract 8).
 */
export function nodeStreams({ nodes, client }: Tools): DeviceStreams {
  const targetOf = (device: Device, kind: StreamKind): TargetOf | null => {
    if (nodes.streaming(device, kind) === undefined) return null;
    return async (): Promise<UpstreamTarget | null> => {
      const node = nodes.streaming(device, kind);
      if (node === undefined) return null;
      const token = await client.tokens.forControl({ node: node.name, udid: device.udid }, kind, null);
      const origin = kind === 'frames' ? node.url : node.url.replace(/^http/, 'ws');
      return {
        url: `${origin}${API_PREFIX}/control/${encodeURIComponent(device.udid)}${PATHS[kind]}`,
        headers: { [HEADERS.hubToken]: token },
        connection: client.connection(node),
      };
    };
  };
  const sourceOf = <Source>(
    device: Device,
    kind: StreamKind,
    open: (targetOf: TargetOf) => Source,
  ): Source | null => {
    const target = targetOf(device, kind);
    return target === null ? null : open(target);
  };
  return {
    frames: (device) => sourceOf(device, 'frames', mjpegUpstream),
    video: (device) => sourceOf(device, 'video', videoUpstream),
    lines: (device) => sourceOf(device, 'lines', lineUpstream),
  };
}
