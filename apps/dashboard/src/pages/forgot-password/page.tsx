import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form } from '../../ui/index.ts';

const forgot = texts.forgot;

export function Page() {
  const options = useResource((signal) => call('authOptions', { signal }));
  const [isSent, setSent] = useState(false);
  const asksAdmin = options.value?.passwordReset === 'admin';
  return (
    <>
      {isSent ? <Sent /> : asksAdmin ? <AskAdmin /> : <Ask onSent={() => setSent(true)} />}
      <p class="aside">
        <a href={pageAddress('sign-in')}>{forgot.back}</a>
      </p>
    </>
  );
}

function Ask({ onSent }: { onSent: () => void }) {
  const [email, setEmail] = useState('');
  const submit = async () => {
    await call('forgotPassword', { body: { email } });
    onSent();
  };
  return (
    <>
      <h1>{forgot.title}</h1>
      <p>{forgot.lead}</p>
      <Form submitLabel={forgot.submit} onSubmit={submit}>
        <Field
          label={texts.signIn.email}
          name="email"
          type="email"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </Form>
    </>
  );
}

function AskAdmin() {
  return (
    <>
      <h1>{forgot.title}</h1>
      <p class="notice">{forgot.askAdmin}</p>
    </>
  );
}

function Sent() {
  return (
    <>
      <h1 tabIndex={-1} ref={focus}>
        {forgot.sentTitle}
      </h1>
      <p>{forgot.sent}</p>
      <p class="soft">{forgot.nothingThere}</p>
    </>
  );
}

/** Moves the focus to the heading, so that a screen reader reads the text that replaced the form. */
const focus = (heading: HTMLElement | null) => heading?.focus();
