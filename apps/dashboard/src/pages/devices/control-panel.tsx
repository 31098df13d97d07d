import { call } from '../../api/client.ts';
import { errorText } from '../../api/error-text.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form, Panel, TextAreaField, toast } from '../../ui/index.ts';
import type { Device } from './seen-devices.ts';

/** Lets users who may control the session on the phone type text, use the clipboard and tap. */
export function ControlPanel({ device: { udid, session } }: { device: Device }) {
  const { control } = texts.devices;
  if (session === undefined) {
    return (
      <Panel title={control.title}>
        <p>{control.noSession}</p>
      </Panel>
    );
  }
  const params = { udid };
  return (
    <Panel title={control.title} lead={control.lead}>
      <Form
        submitLabel={control.type}
        onSubmit={async (form) => {
          await call('typeText', { params, body: { text: textOf(form, 'text') } });
          form.reset();
          toast(control.typed);
        }}
      >
        <Field label={control.text} name="text" required maxLength={4_096} autocomplete="off" />
      </Form>
      <Form
        submitLabel={control.copy}
        onSubmit={async (form) => {
          await call('setClipboard', { params, body: { content: textOf(form, 'content') } });
          form.reset();
          toast(control.copied);
        }}
      >
        <TextAreaField
          label={control.clipboard}
          name="content"
          maxLength={65_536}
          rows={2}
          autocomplete="off"
        />
      </Form>
      <details>
        <summary>{control.tapByKeys}</summary>
        <Form
          submitLabel={control.tap}
          onSubmit={(form) => tap(udid, Number(textOf(form, 'x')) / 100, Number(textOf(form, 'y')) / 100)}
        >
          <Field
            label={control.fromLeft}
            name="x"
            type="number"
            required
            min={0}
            max={100}
            defaultValue="50"
          />
          <Field
            label={control.fromTop}
            name="y"
            type="number"
            required
            min={0}
            max={100}
            defaultValue="50"
          />
        </Form>
      </details>
    </Panel>
  );
}

/**
 * Taps on the phone at fractions of the screen's width and height, and shows a message that says whether the tap
 * worked.
 */
export async function tap(udid: string, x: number, y: number): Promise<void> {
  try {
    await call('tap', { params: { udid }, body: { x, y } });
    toast(texts.devices.control.tapped(Math.round(x * 100), Math.round(y * 100)));
  } catch (error) {
    toast(errorText(error));
  }
}

function textOf(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '');
}
