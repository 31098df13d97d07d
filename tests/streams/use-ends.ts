import { expect } from 'vitest';
import type { Pair, Person, World } from '../conformance/support/world.ts';
import type { startPhoneCommand } from './local-adb.ts';

/** Who uses a phone from a machine of their own, by which lease and which pair. */
export interface PhoneUse {
  readonly world: World;
  readonly udid: string;
  readonly holder: Person;
  readonly pair: Pair;
  readonly leaseId: string;
}

/** What ends the use of a phone, with the reason that the command prints. */
export interface UseEnd {
  readonly act: (use: PhoneUse) => Promise<unknown>;
  readonly reason: RegExp;
}

/** Ends that do not depend on how the lab reaches the phone. */
export const USE_ENDS: Readonly<Record<string, UseEnd>> = {
  lease: {
    act: ({ world, leaseId }) => world.ok('DELETE', `/leases/${leaseId}`, { as: world.root.as }),
    reason: /neither a lease nor a session of the caller/,
  },
  credential: {
    act: ({ world, pair, holder }) => world.ok('DELETE', `/profile/tokens/${pair.id}`, { as: holder.as }),
    reason: /the credential is no longer valid/,
  },
  account: {
    act: ({ world, holder }) =>
      world.ok('PATCH', `/users/${holder.id}`, { as: world.root.as, json: { status: 'Inactive' } }),
    reason: /the credential is no longer valid/,
  },
  team: {
    act: async ({ world, holder, udid }) => {
      const { as } = world.root;
      const { id: teamId } = await world.ok('POST', '/teams', { as, json: { name: 'others' } });
      await world.ok('PATCH', `/users/${holder.id}`, { as, json: { role: 'Member' } });
      await world.ok('PUT', `/device/${udid}/team`, { as, json: { teamId } });
    },
    reason: /the phone is hidden from the caller/,
  },
  maintenance: {
    act: ({ world, udid }) =>
      world.ok('PUT', `/device/${udid}/maintenance`, { as: world.root.as, json: { reason: 'battery' } }),
    reason: /out of service/,
  },
};

/** Undoes what the ends have changed. */
export async function tidyUse({ world, udid, leaseId }: PhoneUse): Promise<void> {
  const { as } = world.root;
  await world.ok('PUT', `/device/${udid}/team`, { as, json: { teamId: null } });
  await world.api('DELETE', `/device/${udid}/maintenance`, { as });
  await world.api('DELETE', `/leases/${leaseId}`, { as });
}

/** Expects that a command of the client ends within a second and a half, with a sentence that gives the reason. */
export async function expectEnded(
  command: Pick<Awaited<ReturnType<typeof startPhoneCommand>>, 'exited' | 'code' | 'sentence'>,
  { act, reason }: UseEnd,
  use: PhoneUse,
): Promise<void> {
  await act(use);
  const began = performance.now();
  await command.exited;
  expect(performance.now() - began).toBeLessThan(1_500);
  expect([command.code(), command.sentence()]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^The connection to ${use.udid} has ended: .*${reason.source}.*\\.$`)),
  ]);
}
