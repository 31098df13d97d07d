import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { read } from '../support/records.ts';
import { createSession, makePerson, pairOf, superAdmin } from '../support/sessions.ts';

interface Report {
  readonly mode: string;
  readonly since: string | null;
  readonly checked: number;
  readonly wouldRefuse: number;
  readonly clients: readonly { session: string; userAgent: string | null; reasons: unknown[] }[];
}

let lab: RunningServer;
afterEach(() => lab?.stop());

const START = 'Per-command auth only reports';

describe('SVC_COMMAND_AUTH_REPORT_ONLY', () => {
  it.each([{}, { SVC_REQUIRE_COMMAND_AUTH: 'true' }])(
    'SVC_COMMAND_AUTH_REPORT_ONLY lets everything pass and tells what would have been refused, by client and session (with %j)',
    async (more) => {
      lab = await startLab({ env: { SVC_COMMAND_AUTH_REPORT_ONLY: 'true', ...more } });
      const admin = await superAdmin(lab);
      const ana = await makePerson(lab, admin, 'ana@example.org');
      const bob = await makePerson(lab, admin, 'bob@example.org');
      const id = (await createSession(lab.url, pairOf(ana), { capabilities: { webSocketUrl: true } })).body
        .value.sessionId;
      const drive = async (headers: Record<string, string>) => {
        const answer = await request(`${lab.url}/session/${id}/timeouts`, { headers });
        expect(answer.status).toBe(200);
      };
      await drive(ana.headers);
      await drive({ 'user-agent': 'old-script' });
      await drive({ 'user-agent': 'old-script' });
      await drive({ 'user-agent': 'old-script', ...bob.headers });
      await drive({ 'user-agent': 'other', authorization: 'Bearer nonsense' });
      expect((await request(`${lab.url}/session/unknown/timeouts`)).status).toBe(404);
      await openSocket(`${lab.url.replace('http', 'ws')}/bidi/${id}`);

      const report = await read<Report>(lab, { cookie: admin }, '/command-auth/report');
      expect(report).toMatchObject({ mode: 'report-only', since: expect.any(String), wouldRefuse: 5 });
      expect(report.clients).toHaveLength(3);
      expect(report.clients[0]).toMatchObject({
        address: '127.0.0.1',
        userAgent: 'old-script',
        session: id,
        wouldRefuse: 3,
        reasons: [
          { reason: 'no credentials', count: 2 },
          { reason: 'the session belongs to someone else', count: 1 },
        ],
      });
      expect((await lab.api('/command-auth/report', { headers: ana.headers })).status).toBe(403);
      expect(await features(lab, admin)).toMatchObject({ commandAuth: false });

      await request(`${lab.url}/session/${id}`, { method: 'DELETE', headers: ana.headers });
      await lab.line(new RegExp(`report of session ${id}: 5 commands would have been refused`));
      await lab.stop();
      expect(lab.output()).toMatch(
        /report of this run: 7 commands checked, 5 commands would have been refused/,
      );
      expect(lab.output()).toContain(START);
      expect(lab.output()).not.toContain('Per-command auth is ON');
      expect(lab.output()).not.toContain('Command refused:');
      expect(lab.output().match(/Command would be refused:/g)).toHaveLength(3);
    },
  );

  it('SVC_COMMAND_AUTH_REPORT_ONLY weakens nothing when it is not exactly true', async () => {
    lab = await startLab({ env: { SVC_COMMAND_AUTH_REPORT_ONLY: '1', SVC_REQUIRE_COMMAND_AUTH: 'true' } });
    const admin = await superAdmin(lab);
    const ana = await makePerson(lab, admin, 'ana@example.org');
    const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
    expect((await request(`${lab.url}/session/${id}/timeouts`)).status).toBe(404);
    expect(await features(lab, admin)).toMatchObject({ commandAuth: true });
    expect(await read<Report>(lab, { cookie: admin }, '/command-auth/report')).toMatchObject({
      mode: 'on',
      since: null,
      clients: [],
    });
    expect(lab.output()).toContain('Per-command auth is ON');
    expect(lab.output()).not.toContain(START);
  });
});

async function features(server: RunningServer, cookie: string) {
  return (await read<{ features: object }>(server, { cookie }, '/capabilities')).features;
}

function openSocket(url: string): Promise<void> {
  return new Promise((open, failed) => {
    const socket = new WebSocket(url);
    socket.once('error', failed);
    socket.once('open', () => {
      socket.once('close', () => open());
      socket.close();
    });
  });
}
