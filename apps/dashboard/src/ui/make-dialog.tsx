import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface MakeDialogProps<Made> {
  open: boolean;
  title: string;
  madeTitle: (made: Made) => string;
  wide?: boolean;
  doneLabel?: string;
  /** Renders the form, which calls `made` with the created object. */
  form: (actions: { made: (made: Made) => void; close: () => void }) => ComponentChildren;
  /** Renders the result, which is shown only once. */
  children: (made: Made) => ComponentChildren;
  onMade: () => void;
  onClose: () => void;
}

/**
 * Dialog that shows a form and then its result. While it shows the result, only its button closes it, because a secret
 * that is shown only once could be lost by a press of Escape.
 */
export function MakeDialog<Made>({
  open,
  title,
  madeTitle,
  wide,
  doneLabel = texts.common.done,
  form,
  children,
  onMade,
  onClose,
}: MakeDialogProps<Made>) {
  const [result, setResult] = useState<{ readonly made: Made }>();
  const close = () => {
    setResult(undefined);
    onClose();
  };
  const made = (made: Made) => {
    setResult({ made });
    onMade();
  };
  const isMade = result !== undefined;
  return (
    <Dialog
      open={open}
      title={isMade ? madeTitle(result.made) : title}
      stays={isMade}
      wide={wide}
      onClose={close}
    >
      {isMade ? (
        <>
          {children(result.made)}
          <div class="form-actions">
            <Button kind="primary" onClick={close}>
              {doneLabel}
            </Button>
          </div>
        </>
      ) : (
        form({ made, close })
      )}
    </Dialog>
  );
}
