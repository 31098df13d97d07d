import { createHmac } from 'node:crypto';
import { seededRandom } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { newWebhookSecret, signedHeaders } from '../src/sign-delivery.ts';

it('a secret is whsec_ and the base64 of 32 bytes (Standard Webhooks: 24 to 64)', () => {
  const secret = newWebhookSecret(seededRandom());
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(newWebhookSecret(seededRandom(2))).not.toBe(secret);
});

it('a delivery is signed over its id, the seconds of the try and the body as it is sent', async () => {
  const secret = newWebhookSecret(seededRandom());
  const body = '{"event":"test","payload":{"name":"Größe ✓"}}';
  const key = Buffer.from(secret.slice(6), 'base64');
  const expected = createHmac('sha256', key).update(`msg_1.1700000000.${body}`).digest('base64');
  expect(await signedHeaders(secret, { id: 'msg_1', at: 1_700_000_000_999, body })).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${expected}`,
  });
});
