import { call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { InspectorMissing, openInspector } from '../../screen/inspector.tsx';
import { texts } from '../../texts/en.ts';
import { Button, Panel, Problem } from '../../ui/index.ts';
import { execute } from './remote/phone-keys.ts';
import { startProblemText } from './remote/problem-text.ts';
import { createBody, usualCapabilities } from './remote/session-capabilities.ts';
import { sessionToken } from './remote/session-token.ts';
import { WebDriver } from './remote/web-driver.ts';
import type { Device } from './seen-devices.ts';

const NAME = 'Appium Inspector';
/** Seconds without a command after which the server ends the session, so that a closed tab does not keep the phone. */
const IDLE_SECONDS = 600;

/**
 * Starts a session on a phone that the user has reserved and on which no session runs, and opens it in Appium Inspector
 * (contract 15.5). The page of the phone then shows the address of the session, with which the user can end it.
 */
export function InspectPanel({ device }: { device: Device }) {
  const lab = useResource(() => call('capabilities'));
  const words = texts.devices.inspect;
  const inspect = useAction(() =>
    openInspector(async () => {
      const { basePath, example } = (await call('capabilities')).webDriver;
      return await startSession(
        new WebDriver(async () => basePath),
        device,
        usualCapabilities(device, example),
      );
    }),
  );
  if (lab.value === undefined) return null;
  return (
    <Panel title={words.title} lead={words.lead}>
      <Problem text={inspect.problem} />
      {lab.value.features.inspector ? (
        <Button onClick={inspect.run} busy={inspect.isBusy}>
          {texts.sessions.attach.inspector}
        </Button>
      ) : (
        <InspectorMissing />
      )}
      <p role="status">{inspect.isBusy ? words.starting : undefined}</p>
    </Panel>
  );
}

/** @returns the id of the new session. Rejects with a sentence for the user. */
async function startSession(
  webDriver: WebDriver,
  { udid }: Device,
  capabilities: Readonly<Record<string, unknown>>,
): Promise<string> {
  const body = createBody({
    capabilities,
    udid,
    sessionToken: await sessionToken(),
    idleSeconds: IDLE_SECONDS,
  });
  try {
    const { sessionId } = (await webDriver.send('POST', '/session', body)) as { sessionId: string };
    const { path, body: named } = execute('svc: setSessionName', { name: NAME });
    await webDriver.send('POST', `/session/${encodeURIComponent(sessionId)}${path}`, named);
    return sessionId;
  } catch (error) {
    throw startProblemText(error);
  }
}
