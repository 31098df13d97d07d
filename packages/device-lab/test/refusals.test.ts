import { describe, expect, it } from 'vitest';
import { RecentRefusals, type RefusalRecord } from '../src/refusals/recent-refusals.ts';
import { ReportOnlyStats } from '../src/refusals/report-only-stats.ts';

const clock = { now: () => 7 };
const note = (requestId: string, more: Partial<RefusalRecord> = {}): RefusalRecord => ({
  requestId,
  kind: 'api',
  method: 'GET',
  path: '/svc/api/users',
  status: 403,
  error: 'insufficient_role',
  reason: 'role too low',
  caller: 'ana',
  address: '192.0.2.1',
  sessionId: null,
  ...more,
});

describe('the book of refusals', () => {
  it('the book of refusals tells the newest of one id first, and knows five of it', () => {
    const book = new RecentRefusals(clock);
    for (let status = 401; status < 411; status++) book.note(note('mine', { status }));
    expect(book.explain('mine').map(({ status }) => status)).toEqual([410, 409, 408, 407, 406]);
    expect(book.explain('other')).toEqual([]);
  });

  it('the book of refusals forgets what is more than an hour old (contract 7)', () => {
    let now = 0;
    const book = new RecentRefusals({ now: () => now });
    book.note(note('mine', { status: 401 }));
    now = 3_599_999;
    expect(book.explain('mine')).toHaveLength(1);
    book.note(note('mine', { status: 403 }));
    now = 3_600_000;
    expect(book.explain('mine').map(({ status }) => status)).toEqual([403]);
  });

  it('the book of refusals is bounded: in ids, and in the length of a path', () => {
    const book = new RecentRefusals(clock);
    for (let id = 0; id < 2_100; id++) book.note(note(String(id), { path: 'x'.repeat(9_000) }));
    expect(book.explain('99')).toEqual([]);
    expect(book.explain('100')).toHaveLength(1);
    expect(book.explain('2099')[0]?.path).toHaveLength(256);
  });

  it('one id sent over and over pushes no other out', () => {
    const book = new RecentRefusals(clock);
    book.note(note('mine'));
    for (let count = 0; count < 5_000; count++) book.note(note('flood'));
    expect(book.explain('mine')).toHaveLength(1);
  });
});

describe('what would be refused', () => {
  const command = { address: '192.0.2.1', userAgent: 'ua', sessionId: 's1', reason: 'no credentials' };

  it('a create that would be refused is counted by client, session and reason; the first of each client is new', () => {
    const report = new ReportOnlyStats(clock);
    expect(report.note(command)).toBe(true);
    expect(report.note(command)).toBe(false);
    expect(report.note({ ...command, reason: 'invalid' })).toBe(false);
    expect(report.note({ ...command, sessionId: 's2' })).toBe(true);
    expect(report.lines()).toMatchObject([
      {
        sessionId: 's1',
        reasons: new Map([
          ['no credentials', 2],
          ['invalid', 1],
        ]),
        firstAt: 7,
        lastAt: 7,
      },
      { sessionId: 's2' },
    ]);
    expect(report.summary('s1')).toBe('3 commands would have been refused (no credentials: 2, invalid: 1)');
    expect(report.summary()).toMatch(/^4 commands/);
    expect(report.summary('s3')).toBeUndefined();
  });

  it('the list of creates that would be refused is bounded in clients, reasons and what a client calls itself', () => {
    const report = new ReportOnlyStats(clock);
    for (let count = 0; count < 1_200; count++) {
      report.note({ ...command, userAgent: `${count} ${'x'.repeat(5_000)}` });
    }
    for (let count = 0; count < 100; count++) {
      report.note({ ...command, userAgent: report.lines()[0]?.userAgent ?? null, reason: `reason ${count}` });
    }
    expect(report).toMatchObject({ refused: 1_300, notKept: 200 });
    expect(report.lines()).toHaveLength(1_000);
    expect(report.lines()[0]?.userAgent).toHaveLength(200);
    expect(report.lines()[0]?.reasons.size).toBe(21);
    expect(report.lines()[0]?.reasons.get('other reasons')).toBe(81);
  });
});
