import { useState } from 'preact/hooks';
import { errorText } from '../../api/error-text.ts';
import { comparisonAddress } from '../../api/record-addresses.ts';
import { texts } from '../../texts/en.ts';
import { Button, toast } from '../../ui/index.ts';
import { lastPassedBefore } from './last-passed.ts';
import type { Session } from './merge-sessions.ts';

/**
 * Button that opens a comparison with the last earlier session of the same name that passed. Shown only for a session
 * that has a name, has ended and did not pass.
 */
export function CompareLink({ session }: { session: Session }) {
  const [isBusy, setBusy] = useState(false);
  if (session.endedAt === null || session.status === 'passed' || session.name === null) return null;
  const open = async () => {
    setBusy(true);
    try {
      const passed = await lastPassedBefore(session);
      if (passed === undefined) toast(texts.sessions.compare.noPassed(session.name ?? ''));
      else location.assign(comparisonAddress(session.id, passed.id));
    } catch (error) {
      toast(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button busy={isBusy} onClick={open}>
      {texts.sessions.compare.action}
    </Button>
  );
}
