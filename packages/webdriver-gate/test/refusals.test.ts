import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { CommandCallers } from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { type RecentRefusals, ReportOnlyStats } from '@svc/device-lab';
import { failureLines, refusalLines } from '@svc/module';
import { describe, expect, it } from 'vitest';
import { clientFacts } from '../src/client-facts.ts';
import { reportRefusals } from '../src/refusals.ts';
import { CommandReport } from '../src/report.ts';
import { originsBy } from '../src/request-origin.ts';
import { Targets } from '../src/target.ts';

const originOf = originsBy({ ...clientFacts([]), addressOf: () => '192.0.2.1' });

function sent(url: string, headers: IncomingMessage['headers'] = {}): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  Object.assign(req.headers, headers);
  return Object.assign(req, { method: 'GET', url });
}

describe('the line about a refusal (contract 7)', () => {
  const reported = (req: IncomingMessage, sessionId: string | undefined = 's1') => {
    const log = silentLog();
    const notes: Parameters<RecentRefusals['note']>[0][] = [];
    const refusals = {
      note: (note: (typeof notes)[number]) => notes.push(note),
    } as unknown as RecentRefusals;
    const report = reportRefusals({
      warnings: refusalLines(log, fakeClock(0)),
      refusals,
      trail: { refused: () => undefined },
    });
    const from = originOf(req);
    report({ req, from, sessionId, caller: 'no credentials', isKnown: false, reason: 'no credentials' });
    const [entry] = log.entries;
    return {
      line: entry?.message ?? '',
      request: (entry?.fields as { request: string } | undefined)?.request,
      ...notes[0],
    };
  };

  it('the line about a refusal has no query (contract 7)', () => {
    const { line, path } = reported(sent('/session/s1/url?token=canary'));
    expect(line).toContain('GET /session/s1/url (session s1, ');
    expect(line).not.toContain('canary');
    expect(path).toBe('/session/s1/url');
  });

  it('the line about a refusal is one line of printable characters, whatever the sender wrote (contract 7)', () => {
    const { line, path, sessionId } = reported(sent('/session/%0aFAKE/\u001b[2J'), '\nFAKE\u001b[2Jé');
    expect(line).toContain('(session \\u000aFAKE\\u001b[2J\\u00e9, ');
    for (const text of [line, path, sessionId]) expect(text).toMatch(/^[\x20-\x7e]+$/);
  });

  it('the line about a refusal is bounded (contract 7)', () => {
    const long = 'x'.repeat(100_000);
    const { line, path, sessionId } = reported(sent(`/session/${long}`), long);
    expect(line.length).toBeLessThan(700);
    expect(path).toHaveLength(259);
    expect(sessionId).toHaveLength(259);
  });

  it.each(['a', 'A-1._z', 'x'.repeat(128)])(
    'the line about a refusal carries the id its sender gave: %.20s (contract 7)',
    (id) => {
      const { request, requestId } = reported(sent('/', { 'x-request-id': id }));
      expect([request, requestId]).toEqual([id, id]);
    },
  );

  it.each(['', 'a b', 'a\nb', 'a/b', 'é', 'x'.repeat(129)])(
    'the line about a refusal uses no other request id: %.20j (contract 7)',
    (id) => {
      const { request, requestId } = reported(sent('/', { 'x-request-id': id }));
      expect(request).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
      expect(requestId).toBe(request);
    },
  );
});

describe('report only (contract 7)', () => {
  const failing = () => {
    throw new Error('the database is gone');
  };
  it.each([
    ['at once', failing],
    ['later', async () => failing()],
  ])('a check that could not run %s is counted', async (_name, recall) => {
    const reportOnlyStats = new ReportOnlyStats({ now: () => 0 });
    const report = new CommandReport({
      fromHub: null,
      reportOnlyStats,
      callers: { recall } as unknown as CommandCallers,
      sessions: { ownerOf: () => 'ana', findIgnoringCase: (id) => id },
      targets: new Targets(''),
      originOf,
      log: silentLog(),
      failures: failureLines(silentLog(), fakeClock(0)),
    });
    const looking = report.command(sent('/session/s1/url', { authorization: 'Bearer a.b.c' }), 's1');
    await looking;
    expect(reportOnlyStats).toMatchObject({ checked: 1, refused: 1 });
  });
});
