import { useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { ConfirmDialog, type ConfirmProps } from './dialog.tsx';
import { CheckField } from './field.tsx';

interface RevokeProps extends Omit<ConfirmProps, 'onConfirm' | 'kind' | 'children'> {
  /** Revokes the token or key. If `cascades` is true, the tokens that were minted from it end too (contract 10.4). */
  onRevoke: (cascades: boolean) => Promise<unknown>;
}

/** Dialog that asks the user to confirm that a token or key is revoked. */
export function RevokeDialog({ onRevoke, onClose, ...props }: RevokeProps) {
  const [cascades, setCascades] = useState(false);
  const close = () => {
    setCascades(false);
    onClose();
  };
  return (
    <ConfirmDialog {...props} onConfirm={() => onRevoke(cascades)} onClose={close}>
      <CheckField
        label={texts.lists.cascade}
        hint={texts.lists.cascadeHint}
        checked={cascades}
        onChange={(event) => setCascades(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}
