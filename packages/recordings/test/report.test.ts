import type { DriverSession, LoggedCommand } from '@svc/device-lab';
import { expect, it } from 'vitest';
import { report } from '../src/report/report.ts';
import { NO_RECORDING, type RecordingSource, type RecordingView } from '../src/sessions/recording-source.ts';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='x'>&`;
const AT = '2030-01-01T12:00:00.000Z';

const session: DriverSession = {
  id: 's1',
  name: HOSTILE,
  status: 'failed',
  ownerId: null,
  device: { udid: HOSTILE, name: HOSTILE, platform: HOSTILE, osVersion: HOSTILE },
  node: null,
  startedAt: Date.parse(AT),
  endedAt: null,
  failureCategory: null,
  failureReason: HOSTILE,
  tags: [HOSTILE],
  healingTiers: null,
  startedBy: null,
  capabilities: { [HOSTILE]: HOSTILE },
};

const command: LoggedCommand = {
  seq: 1,
  at: Date.parse(AT),
  method: 'POST',
  path: `/session/s1/${HOSTILE}`,
  status: 404,
  durationMs: 1,
  body: { value: HOSTILE },
  response: HOSTILE,
  name: 'findElement',
  summary: HOSTILE,
  error: { code: 'no such element', message: HOSTILE },
};

function source(picture: Buffer): RecordingSource {
  return {
    view: async () => NO_RECORDING,
    chunk: async () => null,
    picture: async () => ({ type: 'image/png', bytes: picture }),
    rows: async () => ({ items: [{ seq: 1, at: AT, line: HOSTILE }], next: null }),
    remove: async () => undefined,
  };
}

async function pageOf(
  view: RecordingView,
  picture = Buffer.from('picture'),
  publicUrl: string | null = null,
): Promise<string> {
  let page = '';
  const input = {
    session,
    owner: null,
    recording: source(picture),
    view,
    commands: [command],
    inTurns: async function* (texts: Iterable<string>) {
      yield* texts;
    },
    publicUrl,
    version: '0.1.0',
  };
  for await (const part of report(input)) page += part;
  return page;
}

const recorded = (marks: RecordingView['marks']): RecordingView => ({
  ...NO_RECORDING,
  state: 'complete',
  marks,
  deviceLogRows: 1,
});

it('a report shows what a session sent as text, never as markup (contract 11)', async () => {
  const page = await pageOf(recorded([{ at: AT, kind: 'failure', label: HOSTILE }]));
  expect(page).not.toMatch(/<script|onerror='x'|<img src=x/);
  expect(page.split('&lt;script&gt;').length).toBeGreaterThan(10);
  expect(page).toContain('src="data:image/png;base64,cGljdHVyZQ=="');
  expect(page).toMatch(/Content-Security-Policy" content="default-src 'none'; img-src data:/);
  expect(page).not.toMatch(/(?:src|href)="(?!data:)/);
});

it('a report of a session without a recording holds its record and commands (contract 11)', async () => {
  const page = await pageOf(NO_RECORDING);
  expect(page).toContain('<strong>findElement</strong>');
  expect(page).not.toMatch(/<img|<h2>(?:Pictures|Device log)/);
});

it('a report is bounded, and shows failures first', async () => {
  const marks = Array.from({ length: 100 }, (_, nth) => ({
    at: new Date(Date.parse(AT) + nth).toISOString(),
    kind: nth === 99 ? ('failure' as const) : ('evidence' as const),
  }));
  const many = await pageOf(recorded(marks));
  expect(many.split('<img').length - 1).toBe(40);
  expect(many).toContain('Failure, 2030-01-01T12:00:00.099Z');
  const large = await pageOf(recorded(marks), Buffer.alloc(6 * 1024 * 1024));
  expect(large.split('<img').length - 1).toBe(2);
});

it('a report reads a bounded number of pages of the device log, whatever a node names as the next page (contract 11)', async () => {
  for (const nextOf of [(after: number) => after + 1, (after: number) => after, () => 0]) {
    let reads = 0;
    const endless = {
      ...source(Buffer.from('picture')),
      rows: async (after: number) => {
        reads += 1;
        return { items: [{ seq: 1, at: AT, line: 'again' }], next: nextOf(after) };
      },
    };
    const view = recorded([]);
    const inTurns = async function* (texts: Iterable<string>) {
      yield* texts;
    };
    const input = {
      session,
      owner: null,
      recording: endless,
      view,
      commands: [],
      inTurns,
      publicUrl: null,
      version: '1',
    };
    for await (const _ of report(input));
    expect(reads).toBeLessThanOrEqual(8);
  }
});

it('a report leads to the session and the phone in the lab, and shows the failure first (contract 11)', async () => {
  const page = await pageOf(recorded([]), undefined, 'https://lab.example');
  expect(page).toContain(
    `<a href="https://lab.example/svc/sessions?id=${encodeURIComponent(session.id)}">Open the session</a>`,
  );
  expect(page).toContain('>Open the phone</a>');
  expect(page).toContain(`<span class="badge badge-${session.status}">`);
  expect(page).toMatch(/<p class="failure" role="note">/);
  expect(page).toMatch(/<time datetime="[^"]+">0:00\.000<\/time>/);
});
