import type { Link } from './links.ts';
import { plainText } from './plain-text.ts';

/** Value of a fact: a plain text of limited length, or a time that each reader sees in their own time zone. */
export type FactValue = string | Date;

/**
 * An event as people read it: a title of one line, facts with labels, and links. All texts are plain texts of limited
 * length.
 */
export interface Message {
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: FactValue])[];
  readonly links: readonly Link[];
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
  ['Owner', of.owner],
  ['Started', timeOf(of.startTime)],
  ['Duration', durationOf(of.startTime, of.endTime)],
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
      ['Last report', timeOf(lastReportAt)],
    ],
  },
  lease_ended: {
    title: ({ udid }) => `A lease of ${plainText(udid)} ended`,
    facts: ({ reason, owner, expiresAt }) => [
      ['Reason', reason],
      ['Held by', emailOf(owner)],
      ['Was to end', timeOf(expiresAt)],
    ],
  },
  token_expiring: {
    title: ({ name, kind, days }) =>
      `${KEY_KINDS[plainText(kind)] ?? 'Token'} ${plainText(name)} ends within ${plainText(days)} ${days === 1 ? 'day' : 'days'}`,
    facts: ({ owner, expiresAt }) => [
      ['Owner', emailOf(owner)],
      ['Ends', timeOf(expiresAt)],
    ],
  },
  queue_long: {
    title: ({ waitedSeconds }) => `A request has waited ${minutes(waitedSeconds)} for a phone`,
    facts: ({ waiting, owner, since, wants }) => [
      ['Waiting requests', waiting],
      ['Waits', emailOf(owner)],
      ['Since', timeOf(since)],
      ['Wants', wantsText(wants)],
    ],
  },
  test: { title: ({ message }) => plainText(message), facts: ({ sentAt }) => [['Sent', timeOf(sentAt)]] },
};

/**
 * @param owner e-mail address of the owner of the session, which the payload does not contain
 * @returns title and facts of an event. Facts without a value are left out.
 */
export function messageOf(event: string, payload: Payload, owner: string | null): Omit<Message, 'links'> {
  const wording = WORDINGS[event] ?? { title: () => event, facts: () => [] };
  // The owner of the payload of other events is an object.
  const given = owner === null ? payload : { ...payload, owner };
  const facts = wording.facts(given).flatMap(([label, value]): (readonly [string, FactValue])[] => {
    if (value instanceof Date) return [[label, value]];
    const text = plainText(value, LONGEST_VALUE);
    return text === '' ? [] : [[label, text]];
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

/** @returns a time in ISO 8601 as a `Date`, and any other value unchanged, because a receiver may still read it */
function timeOf(value: unknown): unknown {
  const time = typeof value === 'string' ? new Date(value) : null;
  return time === null || Number.isNaN(time.getTime()) ? value : time;
}

/** @returns the time between two times in ISO 8601, such as `1 min 5 s`; an empty text if one is none */
function durationOf(from: unknown, to: unknown): string {
  const seconds = Math.round((Date.parse(String(to)) - Date.parse(String(from))) / 1_000);
  if (!(seconds >= 0)) return '';
  if (seconds < 60) return `${seconds} s`;
  const whole = Math.floor(seconds / 60);
  return whole < 60 ? `${whole} min ${seconds % 60} s` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
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
