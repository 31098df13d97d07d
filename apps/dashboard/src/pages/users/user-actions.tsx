import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import {
  Button,
  ConfirmButton,
  ConfirmDialog,
  CopyText,
  Dialog,
  Problem,
  TimeText,
  toast,
} from '../../ui/index.ts';
import type { User } from './user.ts';

interface UserActionsProps {
  user: User;
  onChanged: (user: User) => void;
  onRemoved: (user: User) => void;
}

/** Shows the actions for a user: reset link, activation and deletion. */
export function UserActions({ user, onChanged, onRemoved }: UserActionsProps) {
  const [isResetting, setResetting] = useState(false);
  const params = { id: user.id };
  const setStatus = async (status: User['status'], said: string) => {
    onChanged(await call('changeUser', { params, body: { status } }));
    toast(said);
  };
  const isActive = user.status === 'Active';
  return (
    <section class="dialog-section">
      <h3>{texts.users.more}</h3>
      <div class="button-row">
        {isActive && <Button onClick={() => setResetting(true)}>{texts.users.resetLink}</Button>}
        {isActive ? (
          <ConfirmButton
            label={texts.users.deactivate}
            title={texts.users.deactivateTitle(user.name)}
            text={texts.users.deactivateText}
            onConfirm={() => setStatus('Inactive', texts.users.deactivated(user.name))}
          />
        ) : (
          <ActivateButton onPress={() => setStatus('Active', texts.users.activated(user.name))} />
        )}
        <ConfirmButton
          label={texts.users.remove}
          title={texts.users.removeTitle(user.name)}
          text={texts.users.removeText}
          onConfirm={async () => {
            await call('removeUser', { params });
            toast(texts.users.removed(user.name));
            onRemoved(user);
          }}
        />
      </div>
      <ResetLink user={user} open={isResetting} onClose={() => setResetting(false)} />
    </section>
  );
}

function ActivateButton({ onPress }: { onPress: () => Promise<void> }) {
  const action = useAction(onPress);
  return (
    <>
      <Button busy={action.isBusy} onClick={action.run}>
        {texts.users.activate}
      </Button>
      <Problem text={action.problem} />
    </>
  );
}

interface ResetLinkProps {
  user: User;
  open: boolean;
  onClose: () => void;
}

/**
 * Creates a link with which the user can set a new password. If the server does not mail the link, the page shows it
 * once (specification 5.10.2).
 */
function ResetLink({ user, open, onClose }: ResetLinkProps) {
  const [made, setMade] = useState<Answer<'createResetLink'>>();
  const make = async () => {
    const answer = await call('createResetLink', { params: { id: user.id } });
    if (answer.emailed) toast(texts.users.resetMailed(user.email));
    else setMade(answer);
  };
  if (made?.link !== undefined) {
    return (
      <Dialog open title={texts.users.resetReady} stays onClose={() => setMade(undefined)}>
        <p>{texts.users.resetHandOver(user.name)}</p>
        <CopyText label={texts.users.resetReady} value={completeLink(made.link)} />
        <p class="hint">
          {texts.common.shownOnce} {texts.users.resetUntil} <TimeText at={made.expiresAt} />.
        </p>
        <div class="form-actions">
          <Button kind="primary" onClick={() => setMade(undefined)}>
            {texts.common.done}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      open={open}
      title={texts.users.resetTitle(user.name)}
      text={texts.users.resetText}
      confirmLabel={texts.users.resetConfirm}
      kind="primary"
      onConfirm={make}
      onClose={onClose}
    />
  );
}

/**
 * If a link is only a path, puts the address of this dashboard before it. The server returns such a link if no public
 * URL is configured (specification 5.10.3).
 */
function completeLink(link: string): string {
  return link.startsWith('/') ? pageAddress('reset-password') + link.slice(link.indexOf('#')) : link;
}
