import { texts } from '../../../texts/en.ts';
import { Button, Form, TextAreaField } from '../../../ui/index.ts';
import { capabilitiesIn } from './session-capabilities.ts';
import type { Remote } from './use-remote.ts';

interface StartFormProps {
  usual: Readonly<Record<string, unknown>>;
  remote: Remote;
}

/**
 * Starts remote control, with capabilities that the user may change. The form remains on the page while the session
 * starts, so that it can show why a start failed.
 */
export function StartForm({ usual, remote }: StartFormProps) {
  const { start, options, cancel } = texts.remote;
  const isStarting = remote.state.kind === 'starting';
  return (
    <Form
      submitLabel={start}
      actions={isStarting && <Button onClick={() => void remote.stop()}>{cancel}</Button>}
      onSubmit={(form) => remote.start(capabilitiesIn(String(new FormData(form).get('capabilities') ?? '')))}
    >
      <details>
        <summary>{options.title}</summary>
        <TextAreaField
          label={options.capabilities}
          hint={options.hint}
          name="capabilities"
          rows={6}
          spellcheck={false}
          autocomplete="off"
          maxLength={65_536}
          defaultValue={JSON.stringify(usual, null, 2)}
        />
      </details>
    </Form>
  );
}
