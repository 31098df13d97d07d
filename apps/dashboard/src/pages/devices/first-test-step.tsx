import { SERVER } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { CodeBlock, Form, ResourceView } from '../../ui/index.ts';
import { FIRST_TEST_COMMANDS, firstTest, type LabAddress, realPhone } from './first-test.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const TOKEN_DAYS = 30;

/** Button that creates a token and puts the token's secret directly into the test below. */
export function MakeToken({ onToken }: { onToken(secret: string): void }) {
  const { firstRun } = texts.devices;
  const make = async () => {
    const expiresAt = new Date(Date.now() + TOKEN_DAYS * DAY_MS).toISOString();
    onToken((await call('createToken', { body: { name: firstRun.tokenName, expiresAt } })).token);
  };
  return <Form submitLabel={firstRun.tokenAction} onSubmit={make} children={null} />;
}

interface FirstTestProps {
  /** Secret of a token that was created on this page, or undefined if none was. */
  token: string | undefined;
  onToken(secret: string): void;
}

/** Shows a complete test to copy, and how to run it. */
export function FirstTest({ token, onToken }: FirstTestProps) {
  const lab = useResource(labAddress);
  const { firstRun } = texts.devices;
  return (
    <ResourceView resource={lab}>
      {(address) => (
        <>
          <CodeBlock label={firstRun.commands} text={FIRST_TEST_COMMANDS} />
          <CodeBlock
            label={firstRun.snippet}
            text={firstTest(address, caller.value.accessKey, token ?? '<token>')}
          />
          {token === undefined && (
            <>
              <p>{firstRun.testNeedsToken}</p>
              <MakeToken onToken={onToken} />
            </>
          )}
        </>
      )}
    </ResourceView>
  );
}

/** Loads the lab's address and example capabilities for tests. Tests reach the lab at the same address as this page. */
async function labAddress(): Promise<LabAddress> {
  const { webDriver } = await call('capabilities');
  const devices = webDriver.example === null ? await call('listDevices') : [];
  return {
    url: SERVER,
    basePath: webDriver.basePath,
    capabilities: webDriver.example ?? realPhone(devices),
  };
}
