import type { Audit, Clock, Log, Random, Stores, Tickets } from '@svc/auth-core';
import type { Lab, Phones } from '@svc/device-lab';
import { every, type Module, type OpenConnections } from '@svc/module';
import type { HubSide } from '@svc/nodes';
import type { Outbound } from '@svc/outbound';
import type { Config } from '@svc/settings';
import { Previews } from './relays/previews.ts';
import { remoteHandlers } from './remote-adb/handlers.ts';
import { nodeSockets } from './remote-adb/node-sockets.ts';
import { adbProgram, type PhoneProgram, usbProgram } from './remote-adb/phone-program.ts';
import { RemotePhones } from './remote-adb/remote-phones.ts';
import { RemoteUsers } from './remote-adb/remote-users.ts';
import { deviceStreams } from './upstreams/device-streams.ts';
import { nodeStreams } from './upstreams/node-streams.ts';
import { viewerHandlers } from './viewers/handlers.ts';
import { Screenshots } from './viewers/screenshots.ts';
import { Spectators } from './viewers/spectators.ts';
import { Streams } from './viewers/streams.ts';

const SWEEP_MS = 1_000;

interface Needs
  extends Pick<Lab, 'lab' | 'hostSources' | 'adb'>,
    Pick<Phones, 'deviceControl'>,
    Pick<HubSide, 'nodes' | 'nodeClient'> {
  readonly config: Pick<Config, 'preview' | 'spectators' | 'adbRemote' | 'ios'>;
  readonly stores: Stores;
  readonly audit: Audit;
  readonly tickets: Tickets;
  readonly openConnections: OpenConnections;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface PreviewsOffers {
  readonly previews: Previews;
  readonly streams: Streams;
  /** Links that show the screen of a phone to others. */
  readonly spectators: Spectators;
  readonly remoteAdb: RemotePhones;
  readonly remoteUsb: RemotePhones;
}

/** Opens what phones show, and the use of a phone from its holder's own machine. */
export function openPreviews(needs: Needs): Module<PreviewsOffers> {
  const { lab, hostSources, adb, deviceControl, nodes, nodeClient: client, config } = needs;
  const { stores, audit, tickets, openConnections, outbound, clock, random, log } = needs;
  const lists = (udid: string) => hostSources.lists('ios', udid);
  const isReadable = (udid: string) => hostSources.isReadable('ios', udid);
  const ios = { env: config.ios.env, isReadable, lists };
  const ofNodes = nodeStreams({ nodes, client });
  const previews = new Previews(deviceStreams({ lab, adb, ios, clock, outbound, nodes: ofNodes }), clock);
  const streams = new Streams({
    ...{ tickets, openConnections, lab, deviceControl, previews, log },
    mode: config.preview,
  });
  const spectators = new Spectators({
    mode: config.spectators,
    preview: config.preview,
    leases: lab.heldLeases,
    connections: openConnections,
    ...{ lab, deviceControl, previews, stores, audit, clock, random },
  });
  const remotePhones = (program: PhoneProgram) =>
    new RemotePhones({
      ...{ lab, deviceControl, tickets, openConnections, program, clock, random, log },
      users: new RemoteUsers({ event: program.event, audit, stores, clock, random }),
      mode: config.adbRemote,
      nodeSockets: nodeSockets({ program: program.name, nodes, client, lab }),
    });
  const remoteAdb = remotePhones(adbProgram(adb));
  const remoteUsb = remotePhones(usbProgram({ address: config.ios.address, lists }));
  const screenshots = new Screenshots({ deviceControl, streams, previews });
  return {
    offers: { previews, streams, spectators, remoteAdb, remoteUsb },
    handlers: {
      ...viewerHandlers({ deviceControl, previews, screenshots, spectators, streams }),
      ...remoteHandlers({ deviceControl, adb: remoteAdb, usb: remoteUsb }),
    },
    schedules: [every(SWEEP_MS, () => spectators.sweep())],
    metrics: [],
    disconnect: () => {
      for (const each of [spectators, streams, remoteAdb, remoteUsb]) each.close();
    },
    close: async () => undefined,
  };
}
