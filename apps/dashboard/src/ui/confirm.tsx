import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { ConfirmDialog, type ConfirmProps } from './dialog.tsx';

type Question = Omit<ConfirmProps, 'open' | 'onClose'>;

const NO_QUESTION: Question = { title: '', text: '', confirmLabel: '', onConfirm: async () => {} };

/**
 * Asks the user to confirm an action on one of several subjects, such as the rows of a table.
 * @returns the dialog, and a function that opens it for a subject
 */
export function useConfirm<Subject>(questionOf: (subject: Subject) => Question) {
  const [asked, setAsked] = useState<{ readonly subject: Subject }>();
  const question = asked === undefined ? NO_QUESTION : questionOf(asked.subject);
  const dialog = (
    <ConfirmDialog {...question} open={asked !== undefined} onClose={() => setAsked(undefined)} />
  );
  return [dialog, (subject: Subject) => setAsked({ subject })] as const;
}

interface ConfirmButtonProps extends Omit<Question, 'confirmLabel'> {
  /** Text of the button, and of the button in the dialog. */
  label: string;
  /** Accessible name of the button, if the label alone does not name the subject. */
  what?: string;
}

/** Button whose action the user confirms first. */
export function ConfirmButton({ label, what, ...question }: ConfirmButtonProps) {
  const [dialog, ask] = useConfirm(() => ({ ...question, confirmLabel: label }));
  return (
    <>
      <Button aria-label={what} onClick={() => ask(undefined)}>
        {label}
      </Button>
      {dialog}
    </>
  );
}
