import { Refusal } from '@svc/auth-core';
import { deviceConditions, tagsCondition, UnusableCondition } from './device-object.ts';
import { type PhoneView, platformCondition, udidCondition } from './phone-view.ts';

/** How a lease chooses its phone: by udid, by conditions, or by platform and tags (contract 2, 14.4). */
export interface LeaseChoice {
  readonly udid?: string | undefined;
  readonly platform?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly device?: unknown;
}

/**
 * @returns what a lease requires of its phone
 * @throws Refusal `bad_request` if a condition cannot be used, with a message that names it
 */
export function leaseView({ udid, platform, tags, device }: LeaseChoice): PhoneView {
  const conditions = [
    ...(udid === undefined ? [] : [udidCondition(udid, 'udid')]),
    ...(platform === undefined ? [] : [platformCondition(platform, 'platform')]),
    ...(tags === undefined ? [] : [tagsCondition('tags', tags)]),
    ...(device === undefined ? [] : usable(device)),
  ];
  const shown = { udid: udid ?? null, platform: platform ?? null, tags: tags ?? [] };
  return { index: null, takesPhone: true, conditions, deviceName: null, ...shown };
}

function usable(device: unknown): PhoneView['conditions'] {
  try {
    return deviceConditions('device', device);
  } catch (error) {
    if (!(error instanceof UnusableCondition)) throw error;
    throw new Refusal('bad_request', error.message, { message: error.message });
  }
}
