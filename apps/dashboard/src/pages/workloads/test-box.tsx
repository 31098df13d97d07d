import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Badge, Button, CodeBlock, Form, Panel, TextAreaField } from '../../ui/index.ts';
import type { Suggestion, TrustRule } from './make-rule.tsx';

interface TestBoxProps {
  rules: readonly TrustRule[];
  onSuggest: (suggestion: Suggestion) => void;
}

/** Shows for each rule whether it accepts the token that the user pastes. The page keeps the token in memory only. */
export function TestBox({ rules, onSuggest }: TestBoxProps) {
  const [token, setToken] = useState('');
  const [trial, setTrial] = useState<Answer<'testTrustRules'>>();
  const test = async () => setTrial(await call('testTrustRules', { body: { token: token.trim() } }));
  return (
    <Panel title={texts.workloads.tryTitle} lead={texts.workloads.tryLead}>
      <Form submitLabel={texts.workloads.tryIt} onSubmit={test}>
        <TextAreaField
          label={texts.workloads.token}
          required
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </Form>
      <div role="status">
        {trial !== undefined && <Results trial={trial} rules={rules} onSuggest={onSuggest} />}
      </div>
    </Panel>
  );
}

function Results({ trial, rules, onSuggest }: TestBoxProps & { trial: Answer<'testTrustRules'> }) {
  const { claims, matches, suggestion } = trial;
  const nameOf = (id: string) => rules.find((rule) => rule.id === id)?.name ?? id;
  return (
    <>
      <h3>{texts.workloads.results}</h3>
      {matches.length === 0 && <p>{texts.workloads.noRules}</p>}
      <ul>
        {matches.map(({ ruleId, matches: takes, why }) => (
          <li key={ruleId}>
            {takes ? (
              <Badge tone="good">{texts.workloads.takes(nameOf(ruleId))}</Badge>
            ) : (
              texts.workloads.refuses(nameOf(ruleId), why ?? '')
            )}
          </li>
        ))}
      </ul>
      <CodeBlock label={texts.workloads.shownClaims} text={JSON.stringify(claims, null, 2)} />
      {suggestion !== undefined && (
        <Button onClick={() => onSuggest(suggestion)}>{texts.workloads.suggest}</Button>
      )}
    </>
  );
}
