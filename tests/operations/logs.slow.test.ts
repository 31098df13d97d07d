import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startLab } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

describe("our lines in Appium's log", () => {
  let lab: RunningServer;
  let ana: Person;

  beforeAll(async () => {
    lab = await startLab({
      env: {
        SVC_REQUIRE_COMMAND_AUTH: 'true',
        SVC_LAB_LOG_LEVEL: 'debug',
        SVC_LOG_LEVEL: 'debug',
        SVC_LAB_DEVICES: '1',
      },
    });
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  });
  afterAll(() => lab?.stop());

  it("our lines in Appium's log have the id of the request that caused them, on one line each", async () => {
    const created = await createSession(lab.url, pairOf(ana), { headers: { 'X-Request-Id': 'create-1' } });
    const { sessionId } = created.body.value;
    expect(await lab.line(/Session created \{/)).toContain('"request":"create-1"');
    expect(await lab.line(/Request answered .*"create-1"/)).toContain('"path":"/session"');

    const path = `/session/${sessionId}/timeouts?token=canary`;
    const asAna = { 'x-svc-access-key': ana.accessKey, 'x-svc-token': ana.token };
    await rawRequest(lab.url, path, { headers: { ...asAna, 'X-Request-Id': 'command-1' } });
    expect(await lab.line(/Request answered .*"command-1"/)).toMatch(
      new RegExp(`"method":"GET","path":"/session/${sessionId}/timeouts","ms":\\d+,"status":200`),
    );

    await rawRequest(lab.url, path, { headers: { 'X-Request-Id': 'stranger-1' } });
    expect(await lab.line(/Command refused: GET /)).toContain('"request":"stranger-1"');
    expect(await lab.line(/Request answered .*"stranger-1"/)).toContain('"status":404');
  });

  it("our lines in Appium's log hold no secret (contract 6.3)", () => {
    expect(lab.output()).not.toContain(ana.token);
    // Appium's own lines contain the query of an accepted command.
    const ours = lab
      .output()
      .split('\n')
      .filter((line) => line.startsWith('[svc]'));
    expect(ours.join('\n')).not.toMatch(/canary/);
  });
});
