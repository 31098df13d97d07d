import { DEVICE_KINDS, type DeviceKind, isRecord } from '@svc/contract';
import { type Candidate, type Condition, containsText, onFact, shown, versionOf } from './condition.ts';
import { compareAsFarAs, isNumericVersion } from './version.ts';

/** Thrown if the conditions of a request are unusable. The message names the field and is sent to the client. */
export class UnusableCondition extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableCondition';
  }
}

/** Creates the condition for one field of `svc:options.device`, or throws `UnusableCondition` for a wrong value. */
type Field = (capability: string, value: unknown) => Condition;

const LONGEST_TEXT = 256;
const MOST_ITEMS = 100;

/** The fields of `svc:options.device` (contract 14.3). */
const FIELDS: Readonly<Record<string, Field>> = {
  name: partOf(({ device }) => device.name),
  model: partOf(({ device }) => device.model),
  manufacturer: partOf(({ device }) => device.manufacturer),
  minVersion: versionBound((order) => order >= 0),
  maxVersion: versionBound((order) => order <= 0),
  minApiLevel: levelBound((level, bound) => level >= bound),
  maxApiLevel: levelBound((level, bound) => level <= bound),
  kind: (capability, value) => {
    if (!DEVICE_KINDS.includes(value as DeviceKind))
      throw new UnusableCondition(`${capability} must be one of ${DEVICE_KINDS.join(', ')}`);
    return onFact(
      capability,
      value as string,
      ({ device }) => device.kind,
      (fact) => fact === value,
    );
  },
  tags: tagsCondition,
  udids: (capability, value) => {
    const udids = new Set(textsOf(capability, value));
    if (udids.size === 0) throw new UnusableCondition(`${capability} must not be empty`);
    return onFact(
      capability,
      [...udids].join(', '),
      ({ device }) => device.udid,
      (udid) => udids.has(udid),
    );
  },
  node: (capability, value) => {
    const node = textOf(capability, value);
    return onFact(
      capability,
      node,
      ({ device }) => device.node,
      (fact) => fact === node,
    );
  },
};

const DEVICE_FIELDS = Object.keys(FIELDS);

/**
 * Reads the conditions of a `device` object. A field with the value null counts as not set (contract 6.1).
 * @param at name of the object in error messages, such as `svc:options.device`
 * @throws UnusableCondition for a field that is unknown or has a wrong type, with a message that names it
 */
export function deviceConditions(at: string, given: unknown): Condition[] {
  if (!isRecord(given)) throw new UnusableCondition(`${at} must be an object`);
  return Object.entries(given).flatMap(([name, value]) => {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (field === undefined)
      throw new UnusableCondition(
        `${at}.${shown(name)} is not known; the fields are ${DEVICE_FIELDS.join(', ')}`,
      );
    return value === null ? [] : [field(`${at}.${name}`, value)];
  });
}

/** Creates the condition that a phone has all of the tags in a list. */
export function tagsCondition(capability: string, value: unknown): Condition {
  const tags = textsOf(capability, value);
  return {
    capability,
    wanted: shown(tags.join(', ')),
    holds: (phone) => tags.every((tag) => phone.tags.includes(tag)),
    has: (phone) => phone.tags,
  };
}

function partOf(factOf: (phone: Candidate) => string | null): Field {
  return (capability, value) => {
    const part = textOf(capability, value);
    return onFact(capability, part, factOf, (fact) => containsText(fact, part));
  };
}

function versionBound(isRight: (order: number) => boolean): Field {
  return (capability, value) => {
    const bound = textOf(capability, value);
    if (!isNumericVersion(bound))
      throw new UnusableCondition(`${capability} must be a version such as "14" or "17.4"`);
    return onFact(capability, bound, versionOf, (version) => {
      const order = compareAsFarAs(bound, version);
      return order !== undefined && isRight(order);
    });
  };
}

function levelBound(isRight: (level: number, bound: number) => boolean): Field {
  return (capability, value) => {
    if (!Number.isSafeInteger(value)) throw new UnusableCondition(`${capability} must be a whole number`);
    const levelOf = ({ device }: Candidate) => (device.apiLevel === null ? null : String(device.apiLevel));
    return onFact(capability, String(value), levelOf, (level) => isRight(Number(level), value as number));
  };
}

function textOf(capability: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_TEXT)
    throw new UnusableCondition(`${capability} must be a text of 1 to ${LONGEST_TEXT} characters`);
  return value;
}

function textsOf(capability: string, value: unknown): readonly string[] {
  const isUsable =
    Array.isArray(value) &&
    value.length <= MOST_ITEMS &&
    value.every((item) => typeof item === 'string' && item.length <= LONGEST_TEXT);
  if (!isUsable) throw new UnusableCondition(`${capability} must be a list of at most ${MOST_ITEMS} texts`);
  return value;
}
