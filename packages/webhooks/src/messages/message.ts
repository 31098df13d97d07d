import { plainText } from './plain-text.ts';

/**
 * An event as people read it: a title of one line, and facts with labels. All texts are plain texts of limited length.
 */
export interface Message {
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
}

type Payload = Readonly<Record<string, unknown>>;
type Fact = readonly [label: string, value: unknown];

interface Wording {
  readonly title: (payload: Payload) => string;
  readonly facts: (payload: Payload) => readonly Fact[];
}

const LONGEST_TITLE = 300;
const LONGEST_VALUE = 600;

const session: Wording['facts'] = ({ failureReason, deviceName, udid, platform, osVersion, ...of }) => [
  ['Reason', failureReason],
  ['Phone', named(deviceName, udid)],
  ['System', [platform, osVersion].filter((each) => plainText(each) !== '').join(' ')],
  ['Started', of.startTime],
  ['Ended', of.endTime],
  ['Session', of.sessionId],
];

const device: Wording['facts'] = ({ udid, platform, osVersion, node, tags }) => [
  ['UDID', udid],
  ['System', [platform, osVersion].filter((each) => plainText(each) !== '').join(' ')],
  ['Node', node],
  ['Tags', Array.isArray(tags) ? tags.join(', ') : null],
];

const health: Wording['facts'] = ({ udid, reason }) => [
  ['Reason', reason],
  ['UDID', udid],
];

/** How messages name the kinds of keys. All others are tokens. */
const KEY_KINDS: Readonly<Record<string, string>> = { 'api-key': 'API key', scim: 'SCIM key' };

/** Texts for each event, including the event `test`. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  session_failed: { title: (of) => `Session ${named(of.sessionName, of.sessionId)} failed`, facts: session },
  session_passed: { title: (of) => `Session ${named(of.sessionName, of.sessionId)} passed`, facts: session },
  device_new: { title: (of) => `New phone ${named(of.name, of.udid)}`, facts: device },
  device_offline: { title: (of) => `Phone ${named(of.name, of.udid)} went away`, facts: device },
  device_online: { title: (of) => `Phone ${named(of.name, of.udid)} is back`, facts: device },
  device_unhealthy: { title: (of) => `Phone ${named(of.name, of.udid)} is out of service`, facts: health },
  device_healthy: { title: (of) => `Phone ${named(of.name, of.udid)} is in service again`, facts: health },
  node_offline: {
    title: ({ name }) => `Node ${plainText(name)} went away`,
    facts: ({ devices, version, lastReportAt }) => [
      ['Phones', devices],
      ['Version', version],
      ['Last report', lastReportAt],
    ],
  },
  lease_ended: {
    title: ({ udid }) => `A lease of ${plainText(udid)} ended`,
    facts: ({ reason, owner, expiresAt }) => [
      ['Reason', reason],
      ['Held by', emailOf(owner)],
      ['Was to end', expiresAt],
    ],
  },
  token_expiring: {
    title: ({ name, kind, days }) =>
      `${KEY_KINDS[plainText(kind)] ?? 'Token'} ${plainText(name)} ends within ${plainText(days)} ${days === 1 ? 'day' : 'days'}`,
    facts: ({ owner, expiresAt }) => [
      ['Owner', emailOf(owner)],
      ['Ends', expiresAt],
    ],
  },
  queue_long: {
    title: ({ waitedSeconds }) => `A request has waited ${minutes(waitedSeconds)} for a phone`,
    facts: ({ waiting, owner, since, wants }) => [
      ['Waiting requests', waiting],
      ['Waits', emailOf(owner)],
      ['Since', since],
      ['Wants', wantsText(wants)],
    ],
  },
  test: { title: ({ message }) => plainText(message), facts: ({ sentAt }) => [['Sent', sentAt]] },
};

/** @returns title and facts of an event. Facts without a value are left out. */
export function messageOf(event: string, payload: Payload): Message {
  const wording = WORDINGS[event] ?? { title: () => event, facts: () => [] };
  const facts = wording.facts(payload).flatMap(([label, value]) => {
    const text = plainText(value, LONGEST_VALUE);
    return text === '' ? [] : [[label, text] as const];
  });
  return { title: plainText(wording.title(payload), LONGEST_TITLE) || event, facts };
}

/** Returns the name, or the id if there is no name. */
function named(name: unknown, id: unknown): string {
  return plainText(name) || plainText(id);
}

function emailOf(owner: unknown): unknown {
  return (owner as { readonly email?: unknown } | null)?.email;
}

function minutes(seconds: unknown): string {
  const count = Math.floor(Number(seconds) / 60);
  return `${count} ${count === 1 ? 'minute' : 'minutes'}`;
}

function wantsText(wants: unknown): string {
  const { udid, platform, tags } = (wants ?? {}) as Payload;
  const texts = [udid, platform, ...(Array.isArray(tags) ? tags : [])];
  return texts
    .map((each) => plainText(each))
    .filter((each) => each !== '')
    .join(', ');
}
