import { caller, reloadCaller } from '../../api/current-caller.ts';
import { ChangePasswordForm } from '../../shell/change-password-form.tsx';
import { texts } from '../../texts/en.ts';
import { Panel, toast } from '../../ui/index.ts';

export function Password() {
  const changed = () => {
    toast(texts.profile.passwordChanged);
    void reloadCaller();
  };
  return (
    <div id="password">
      <Panel title={texts.password.change}>
        <ChangePasswordForm email={caller.value.email} onChanged={changed} />
      </Panel>
    </div>
  );
}
