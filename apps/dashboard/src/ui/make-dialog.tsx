import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface MakeDialogProps<Made> {
  /** Text of the button that opens the dialog. */
  label: string;
  title: string;
  madeTitle: (made: Made) => string;
  wide?: boolean;
  doneLabel?: string;
  /** Renders the form, which calls `made` with the created object. */
  form: (actions: { made: (made: Made) => void; close: () => void }) => ComponentChildren;
  /** Renders the result, which is shown only once. */
  children: (made: Made) => ComponentChildren;
  onMade: () => void;
}

/**
 * Button that opens a dialog with a form, which then shows the result. Only a button closes the result, because a secret
 * that is shown only once could be lost by a press of Escape.
 */
export function MakeDialog<Made>({
  label,
  title,
  madeTitle,
  wide,
  doneLabel = texts.common.done,
  form,
  children,
  onMade,
}: MakeDialogProps<Made>) {
  const [isOpen, setOpen] = useState(false);
  const [result, setResult] = useState<{ readonly made: Made }>();
  const close = () => {
    setResult(undefined);
    setOpen(false);
  };
  const made = (made: Made) => {
    setResult({ made });
    onMade();
  };
  const isMade = result !== undefined;
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog
        open={isOpen}
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
    </>
  );
}
