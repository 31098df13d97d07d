import { type Answer, call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button, Field, Form, MakeDialog, SecretOnce, SelectField, useFields } from '../../ui/index.ts';
import { DEFAULT_LIFE, expiryOf, LIVES, type Life } from './token-life.ts';
import { TokenSnippets } from './token-snippets.tsx';

const { tokens: words } = texts.profile;
type Made = Answer<'createToken'>;

/** Shows the form for a new token, and then the token's secret, which is shown only once. */
export function NewToken({ onMade }: { onMade: () => void }) {
  return (
    <MakeDialog<Made>
      label={words.make}
      onMade={onMade}
      wide
      title={words.make}
      madeTitle={() => words.madeTitle}
      doneLabel={words.done}
      form={({ made, close }) => <Ask onMade={made} onCancel={close} />}
    >
      {({ token }) => (
        <>
          <SecretOnce label={words.secret} value={token} />
          <h3>{words.useIt}</h3>
          <TokenSnippets secret={token} />
        </>
      )}
    </MakeDialog>
  );
}

const FIRST: { name: string; life: Life } = { name: '', life: DEFAULT_LIFE };

/** Command that makes a token with fewer scopes than this page can give (specification 5.2.4). */
const loginCommand = () => `svc login ${location.origin} --scopes read,sessions`;

function Ask({ onCancel, onMade }: { onCancel: () => void; onMade: (made: Made) => void }) {
  const { text, submit } = useFields(FIRST);
  const make = submit(async ({ name, life }) => {
    onMade(await call('createToken', { body: { name, expiresAt: expiryOf(life, Date.now()) } }));
  });
  return (
    <Form
      submitLabel={words.make}
      onSubmit={make}
      actions={<Button onClick={onCancel}>{texts.common.cancel}</Button>}
    >
      <p class="soft">
        {words.fewerScopes} <code>{loginCommand()}</code>
      </p>
      <Field
        label={words.description}
        hint={words.descriptionHint}
        required
        autocomplete="off"
        {...text('name')}
      />
      <SelectField
        label={words.expiry}
        options={LIVES.map((each) => ({ value: each, label: words.lives[each] }))}
        {...text('life')}
      />
    </Form>
  );
}
