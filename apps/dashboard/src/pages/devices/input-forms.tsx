import { call } from '../../api/client.ts';
import type { Part } from '../../screen/touch.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form, TextAreaField, toast } from '../../ui/index.ts';

interface InputFormsProps {
  udid: string;
  /** Whether the clipboard of the phone can be set. */
  hasClipboard: boolean;
  onTap(at: Part): void;
}

/** Lets users type a text, set the clipboard, and tap without a mouse. */
export function InputForms({ udid, hasClipboard, onTap }: InputFormsProps) {
  const { control } = texts.devices;
  const params = { udid };
  return (
    <>
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
      {hasClipboard && (
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
      )}
      <details>
        <summary>{control.tapByKeys}</summary>
        <Form
          submitLabel={control.tap}
          onSubmit={async (form) => onTap({ x: percentOf(form, 'x'), y: percentOf(form, 'y') })}
        >
          <Percent label={control.fromLeft} name="x" />
          <Percent label={control.fromTop} name="y" />
        </Form>
      </details>
    </>
  );
}

function Percent(props: { label: string; name: string }) {
  return <Field {...props} type="number" required min={0} max={100} defaultValue="50" />;
}

function percentOf(form: HTMLFormElement, name: string): number {
  return Number(textOf(form, name)) / 100;
}

function textOf(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '');
}
