import { labInfo, type RunningServer, request } from '../../support/lab.ts';

/** @returns the lines of contract 9 that announce the address */
export const readyLines = (text: string) => text.match(/^svc ready on .*$/gm) ?? [];

/** A session on a virtual phone, created over plain HTTP. */
export async function createSession(lab: RunningServer, more: Record<string, unknown> = {}) {
  const { basePath, capabilities } = await labInfo(lab.url);
  const alwaysMatch = { ...capabilities, ...more };
  const answer = await request(`${lab.url}${basePath}/session`, {
    method: 'POST',
    json: { capabilities: { alwaysMatch, firstMatch: [{}] } },
  });
  const { value } = JSON.parse(await answer.text());
  return { status: answer.status, value };
}
