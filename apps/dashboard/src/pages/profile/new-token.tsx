import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button, Dialog, Field, Form, SecretOnce, SelectField } from '../../ui/index.ts';
import { DEFAULT_LIFE, expiryOf, LIVES, type Life } from './token-life.ts';
import { TokenSnippets } from './token-snippets.tsx';

const { tokens: words } = texts.profile;
type Made = Answer<'createToken'>;

interface NewTokenProps {
  open: boolean;
  onMade: () => void;
  onClose: () => void;
}

/** Asks for a description and an expiry, then shows the secret, this once. */
export function NewToken({ open, onMade, onClose }: NewTokenProps) {
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      title={made === undefined ? words.make : words.madeTitle}
      onClose={close}
      stays={made !== undefined}
      wide
    >
      {made === undefined ? (
        <Ask
          onCancel={close}
          onMade={(token) => {
            setMade(token);
            onMade();
          }}
        />
      ) : (
        <Shown made={made} onDone={close} />
      )}
    </Dialog>
  );
}

function Ask({ onCancel, onMade }: { onCancel: () => void; onMade: (made: Made) => void }) {
  const [name, setName] = useState('');
  const [life, setLife] = useState<Life>(DEFAULT_LIFE);
  const submit = async () => {
    onMade(await call('createToken', { body: { name, expiresAt: expiryOf(life, Date.now()) } }));
  };
  return (
    <Form
      submitLabel={words.make}
      onSubmit={submit}
      actions={<Button onClick={onCancel}>{texts.common.cancel}</Button>}
    >
      <Field
        label={words.description}
        hint={words.descriptionHint}
        required
        autocomplete="off"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <SelectField
        label={words.expiry}
        value={life}
        options={LIVES.map((each) => ({ value: each, label: words.lives[each] }))}
        onChange={(event) => setLife(event.currentTarget.value as Life)}
      />
    </Form>
  );
}

function Shown({ made, onDone }: { made: Made; onDone: () => void }) {
  return (
    <>
      <SecretOnce label={words.secret} value={made.token} />
      <h3>{words.useIt}</h3>
      <TokenSnippets secret={made.token} />
      <div class="form-actions">
        <Button kind="primary" onClick={onDone}>
          {words.done}
        </Button>
      </div>
    </>
  );
}
