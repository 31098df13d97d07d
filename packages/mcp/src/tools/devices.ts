import { facts } from '../results.ts';
import { CHANGES, ENDS, PLATFORM, READS, TAGS, text, tool, UDID, whole } from './tool.ts';

interface Choice {
  readonly platform?: string;
  readonly tags?: readonly string[];
}

export const listDevices = tool<Choice>({
  name: 'list_devices',
  scope: 'svc:devices:read',
  title: 'List phones',
  description:
    'Lists the phones of the lab that you may see: udid, name, platform, OS version, team, tags, status (free, busy or away), the lease and the session if there is one. Call it before lease_device or start_session to choose a phone. It changes nothing. Example: {"platform":"Android"}.',
  arguments: { platform: PLATFORM, tags: TAGS },
  required: [],
  annotations: READS,
  run: async ({ platform, tags = [] }, { agent, lab }) => {
    const devices = (await lab.devices(agent.caller)).filter((device) => {
      const own = Array.isArray(device.tags) ? device.tags : [];
      const isPlatform =
        platform === undefined || String(device.platform).toLowerCase() === platform.toLowerCase();
      return isPlatform && tags.every((tag) => own.includes(tag));
    });
    return facts({ devices });
  },
});

interface LeaseInput extends Choice {
  readonly udid?: string;
  readonly device?: Readonly<Record<string, unknown>>;
  readonly minutes: number;
  readonly queueSeconds?: number;
}

export const leaseDevice = tool<LeaseInput>({
  name: 'lease_device',
  scope: 'svc:devices:lock',
  title: 'Lease a phone',
  description:
    'Keeps one phone for you, so that nobody else can start a session on it, until the lease ends. Choose it by udid, by device, or by platform and tags, but only in one of these ways. Do not lease a phone only to start one session: start_session reserves its phone itself. Give the phone back with release_device. Example: {"udid":"virtual-1","minutes":30}.',
  arguments: {
    udid: UDID,
    platform: PLATFORM,
    tags: TAGS,
    device: {
      type: 'object',
      description:
        'Conditions on the phone, in place of platform and tags: name, model, manufacturer, minVersion, maxVersion, minApiLevel, maxApiLevel, kind, tags, udids, node.',
    },
    minutes: whole('Length of the lease in minutes.', 1, 480),
    queueSeconds: whole(
      'Seconds to wait if every phone that fits is busy; 0, the default, does not wait.',
      0,
      60,
    ),
  },
  required: ['minutes'],
  annotations: CHANGES,
  run: async (input, { agent, lab }) => facts(await lab.lease(agent, input)),
});

export const releaseDevice = tool<{ readonly leaseId: string }>({
  name: 'release_device',
  scope: 'svc:devices:lock',
  title: 'Give a phone back',
  description:
    'Ends a lease that lease_device returned, so that others can use the phone. A session on the phone goes on; end it with end_session. Example: {"leaseId":"3f0c…"}.',
  arguments: { leaseId: text('leaseId, as lease_device returned it.') },
  required: ['leaseId'],
  annotations: ENDS,
  run: ({ leaseId }, { agent, lab }) => {
    lab.release(agent.caller, leaseId);
    return facts({ leaseId, released: true });
  },
});
