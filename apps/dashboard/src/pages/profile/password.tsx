import { useEffect, useRef } from 'preact/hooks';
import { caller, reloadCaller } from '../../api/current-caller.ts';
import { ChangePasswordForm } from '../../shell/change-password-form.tsx';
import { texts } from '../../texts/en.ts';
import { Panel, toast } from '../../ui/index.ts';

/** Fragment of the links that lead to the form for a new password. */
const LINKED = '#password';

export function Password() {
  const part = useRef<HTMLDivElement>(null);
  // Move the focus to the form if a link leads to it. The browser cannot do this, because the form does not exist yet
  // when the browser looks for the fragment of the address.
  useEffect(() => {
    if (location.hash === LINKED) part.current?.querySelector<HTMLElement>('input[type=password]')?.focus();
  }, []);
  const changed = () => {
    toast(texts.profile.passwordChanged);
    void reloadCaller();
  };
  return (
    <div id="password" ref={part}>
      <Panel title={texts.password.change}>
        <ChangePasswordForm email={caller.value.email} onChanged={changed} />
      </Panel>
    </div>
  );
}
