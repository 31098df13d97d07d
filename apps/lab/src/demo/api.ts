import { type KeyPair, SvcClient } from '@svc/client';
import { expect } from './steps.ts';

/** A client that is signed in as a user, and the value of its sign-in cookie. */
export interface Person {
  readonly client: SvcClient;
  readonly cookie: string;
}

export interface Pair extends KeyPair {
  readonly scopes: readonly string[];
}

export async function signIn(url: string, email: string, password: string): Promise<Person> {
  let cookie: string | undefined;
  // The tour later checks that the lab's data does not contain the cookie. The client does not expose its cookie, so
  // this function records it.
  const noting: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    cookie ??= answer.headers.getSetCookie()[0]?.split(';', 1)[0]?.split('=')[1];
    return answer;
  };
  const client = new SvcClient({ url, fetch: noting });
  await client.signIn(email, password);
  expect(cookie !== undefined && cookie !== '', 'sign-in set no cookie');
  return { client, cookie };
}

/**
 * Creates a token for the user.
 * @returns the token and the user's access key, because requests need both
 */
export async function makeToken({ client }: Person, name: string): Promise<Pair> {
  const { token, scopes } = await client.createToken({ name });
  const { accessKey } = await client.call('accessKey');
  return { accessKey, token, scopes };
}
