import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, Problem } from '../../ui/index.ts';

type Tested = Answer<'testAi'>;

/** Button that tests the saved AI provider by requesting its list of models. */
export function TestAi({ isUnsaved }: { isUnsaved: boolean }) {
  const [tested, setTested] = useState<Tested>();
  const test = useAction(async () => {
    setTested(undefined);
    setTested(await call('testAi'));
  });
  return (
    <section class="verify" aria-label={texts.settings.test}>
      <Button busy={test.isBusy} onClick={test.run}>
        {texts.settings.test}
      </Button>
      {isUnsaved && <p class="hint">{texts.settings.testUnsaved}</p>}
      <div role="status">
        {test.isBusy && <p class="soft">{texts.settings.testing}</p>}
        {tested !== undefined && <Outcome tested={tested} />}
      </div>
      <Problem text={test.problem} />
    </section>
  );
}

function Outcome({ tested: { ok, models = [], message, withKey } }: { tested: Tested }) {
  return (
    <div class={ok ? 'notice notice-good' : 'notice notice-bad'}>
      <p>
        <strong>{ok ? texts.settings.testOk(models.length) : texts.settings.testBad}</strong>
      </p>
      {message !== undefined && <p>{message}</p>}
      <p class="hint">{withKey ? texts.settings.withKey : texts.settings.withoutKey}</p>
      {models.length > 0 && (
        <details>
          <summary>{texts.settings.models}</summary>
          <ul class="plain-list">
            {models.map((model) => (
              <li key={model}>
                <code>{model}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
