import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Clock,
  newAccessKey,
  newOpaqueSecret,
  newTokenSecret,
  type Stores,
  scopeSet,
  secretHash,
  type TokenSigner,
} from '@svc/auth-core';
import type { Headers } from '../load.ts';

export interface Size {
  readonly users: number;
  readonly tokens: number;
}

/** Headers of a sample of credentials, each kind spread evenly over the population. */
export interface Sample {
  readonly pairs: Headers[];
  readonly cookies: Headers[];
  readonly bearers: Headers[];
}

const random = { bytes: randomBytes, uuid: randomUUID };
const DAY_MS = 24 * 60 * 60 * 1000;

/** Fills an empty database in one transaction: one sign-in for every user, and tokens distributed in turn. */
export async function populate(
  stores: Stores,
  clock: Clock,
  signer: TokenSigner,
  { users, tokens }: Size,
  wanted: { pairs: number; others: number },
): Promise<Sample> {
  const now = clock.now();
  const people = Array.from({ length: users }, () => ({ id: randomUUID(), accessKey: newAccessKey(random) }));
  const pairs: Headers[] = [];
  const cookies: Headers[] = [];
  stores.transaction((tx) => {
    for (const [index, { id, accessKey }] of people.entries()) {
      tx.accounts.insert({
        id,
        email: `user-${index}@lab.test`,
        name: `User ${index}`,
        role: 'Member',
        status: 'Active',
        accessKey,
        passwordHash: null,
        temporaryPasswordUntil: null,
        defaultPassword: false,
        createdAt: now,
      });
      const cookie = newOpaqueSecret(random);
      tx.signIns.insert(
        {
          id: randomUUID(),
          accountId: id,
          createdAt: now,
          lastSeenAt: now,
          expiresAt: now + DAY_MS,
          userAgent: 'bench',
          scopes: null,
          until: null,
          apiTokenId: null,
          teamId: null,
          provenAt: now,
          rule: null,
          openedWith: [],
        },
        secretHash(cookie),
      );
      if (index % Math.ceil(users / wanted.others) === 0)
        cookies.push({ cookie: `svc_dashboard_session=${cookie}` });
    }
    for (let index = 0; index < tokens; index += 1) {
      const owner = people[index % users] as (typeof people)[number];
      const secret = newTokenSecret(random);
      tx.apiTokens.insert(
        {
          id: randomUUID(),
          ownerId: owner.id,
          kind: 'api-key',
          name: 'bench',
          scopes: scopeSet(['read', 'sessions']),
          rateLimit: 100_000,
          teamId: null,
          createdAt: now,
          expiresAt: null,
          lastUsedAt: null,
          rule: null,
        },
        secretHash(secret),
      );
      if (index % Math.ceil(tokens / wanted.pairs) === 0) {
        pairs.push({ 'x-svc-access-key': owner.accessKey, 'x-svc-token': secret });
      }
    }
  });
  const bearers: Headers[] = [];
  for (let index = 0; index < users; index += Math.ceil(users / wanted.others)) {
    const { id } = people[index] as (typeof people)[number];
    const input = {
      sub: id,
      aud: 'svc-rest',
      scopes: ['read', 'sessions'],
      lifetime: 3600,
      until: null,
    } as const;
    bearers.push({ authorization: `Bearer ${(await signer.mint(input)).token}` });
  }
  return { pairs, cookies, bearers };
}
