import { texts } from '../../../texts/en.ts';
import { Field, Form } from '../../../ui/index.ts';
import type { Act } from './act.ts';
import type { RemotePhone } from './remote-phone.ts';

/** Opens a web address or a deep link on the phone. */
export function OpenAddress({ phone, act }: { phone: RemotePhone; act: Act }) {
  const words = texts.remote.url;
  return (
    <Form
      submitLabel={words.open}
      onSubmit={async (form) => {
        const url = String(new FormData(form).get('url') ?? '').trim();
        if (!URL.canParse(url)) throw words.notAnAddress;
        await act(() => phone.open(url), words.opened);
      }}
    >
      <Field
        label={words.address}
        hint={words.hint}
        name="url"
        inputMode="url"
        required
        maxLength={2_048}
        autocomplete="off"
        spellcheck={false}
      />
    </Form>
  );
}
