import { useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { useConfirm } from './confirm.tsx';
import { CheckField } from './field.tsx';

interface Revocation {
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  /** Revokes the token or key. If `cascades` is true, the tokens that were minted from it end too (contract 10.4). */
  onRevoke(cascades: boolean): Promise<unknown>;
}

/** Asks the user to confirm that a token or key is revoked, like `useConfirm`. */
export function useRevoke<Subject>(revocationOf: (subject: Subject) => Revocation) {
  const [cascades, setCascades] = useState(false);
  const [dialog, ask] = useConfirm((subject: Subject) => {
    const { onRevoke, ...words } = revocationOf(subject);
    const children = (
      <CheckField
        label={texts.lists.cascade}
        hint={texts.lists.cascadeHint}
        checked={cascades}
        onChange={(event) => setCascades(event.currentTarget.checked)}
      />
    );
    return { ...words, children, onConfirm: () => onRevoke(cascades) };
  });
  const askAgain = (subject: Subject) => {
    setCascades(false);
    ask(subject);
  };
  return [dialog, askAgain] as const;
}
