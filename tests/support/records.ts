import type { RunningServer } from './lab.ts';

type Headers = Readonly<Record<string, string>>;

/** A session as `GET /session/:id` returns it. */
export interface SessionRecord {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly owner: { readonly id: string; readonly email: string } | null;
  readonly device: { readonly udid: string } | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly failureCategory: string | null;
  readonly failureReason: string | null;
  readonly clean: { readonly state: string; readonly removed: readonly string[] } | null;
  readonly tags: readonly string[];
  readonly healingTiers: readonly number[] | null;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export interface LogRow {
  readonly seq: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly body: unknown;
  readonly response: unknown;
  readonly name: string;
  readonly summary: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * Sends a GET to a route below `/svc/api`.
 * @returns the JSON of a 200; any other status fails the test
 */
export async function read<T>(lab: RunningServer, headers: Headers, path: string): Promise<T> {
  const answer = await lab.api(path, { headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

export const recordOf = (lab: RunningServer, headers: Headers, id: string) =>
  read<SessionRecord>(lab, headers, `/session/${id}`);

export const logOf = (lab: RunningServer, headers: Headers, id: string) =>
  read<LogRow[]>(lab, headers, `/session/${id}/session_log`);

/**
 * Waits until the session has ended.
 * @returns its record
 */
export const endOf = (lab: RunningServer, headers: Headers, id: string) =>
  until(
    () => recordOf(lab, headers, id),
    ({ endedAt }) => endedAt !== null,
  );

/** Polls until the condition holds; fails after ten seconds with the last value. */
export async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const deadline = performance.now() + 10_000;
  // The pause grows, because a hundred requests of one caller would reach the rate limit.
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 500)) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`still not so: ${JSON.stringify(seen)}`);
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
}
