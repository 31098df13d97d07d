import { randomUUID } from 'node:crypto';

/** Makes a Member and signs them in. */
export async function viewerCookie(url: string, admin: string): Promise<string> {
  const email = `${randomUUID()}@svc.local`;
  const password = 'a password of viewers';
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/svc/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path} got the status ${answer.status}`);
    return answer;
  };
  await post('/users', { email, name: 'Viewer', role: 'Member', password }, { cookie: admin });
  const { headers } = await post('/auth/login', { email, password });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
