import { useRef } from 'preact/hooks';
import { brand, showBrand } from '../../api/brand.ts';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { errorText } from '../../api/error-text.ts';
import { texts } from '../../texts/en.ts';
import { Button, ConfirmButton, Panel, toast } from '../../ui/index.ts';

const words = texts.settings.logo;

/** Shows the logo of the lab. A Super admin can choose another one, or go back to the default. */
export function LabLogo() {
  const file = useRef<HTMLInputElement>(null);
  const { logo } = brand.value;
  const mayChange = caller.value.role === 'Super admin';
  const change = async (action: () => Promise<unknown>, done: string) => {
    try {
      await action();
      showBrand(await call('authOptions'));
      toast(done);
    } catch (error) {
      toast(errorText(error));
    }
  };
  const choose = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    const png = await base64Of(chosen);
    await change(() => call('saveLogo', { body: { png } }), words.saved);
  };
  return (
    <Panel title={words.title} lead={words.hint}>
      <div class="lab-logo">
        <img src={logo} alt={words.current} width="40" height="40" />
        <div class="lab-logo">
          <input
            ref={file}
            type="file"
            hidden
            aria-label={words.choose}
            accept="image/png"
            onChange={({ currentTarget }) => {
              void choose(currentTarget.files?.[0]);
              currentTarget.value = '';
            }}
          />
          <Button disabled={!mayChange} onClick={() => file.current?.click()}>
            {words.choose}
          </Button>
          {mayChange && logo.includes('lab-logo') && (
            <ConfirmButton
              label={words.remove}
              title={words.removeTitle}
              text={words.removeText}
              onConfirm={() => change(() => call('deleteLogo'), words.removed)}
            />
          )}
        </div>
      </div>
    </Panel>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
