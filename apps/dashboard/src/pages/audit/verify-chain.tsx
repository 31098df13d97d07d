import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, CopyText, Problem, TimeText } from '../../ui/index.ts';
import { RunningTime } from '../../ui/running-time.tsx';

type Verified = Answer<'verifyAudit'>;

/**
 * Lets the server check that no row of the audit trail was changed, which takes minutes for millions of rows.
 * @returns the button that starts the check, and its result
 */
export function useVerifyChain() {
  const [verified, setVerified] = useState<Verified>();
  const [began, setBegan] = useState('');
  const waiting = useRef<AbortController>(undefined);
  useEffect(() => () => waiting.current?.abort(), []);
  const verify = useAction(async () => {
    waiting.current = new AbortController();
    const { signal } = waiting.current;
    setBegan(new Date().toISOString());
    setVerified(undefined);
    try {
      setVerified(await call('verifyAudit', { signal, mayTakeLong: true }));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
  const button = (
    <Button busy={verify.isBusy} onClick={verify.run}>
      {texts.audit.verify}
    </Button>
  );
  const result = (
    <section class="verify" aria-label={texts.audit.verify}>
      <div role="status">
        {verify.isBusy && (
          <p class="soft">
            {texts.audit.verifying} <progress aria-label={texts.audit.verifying} />
          </p>
        )}
        {verified !== undefined && <Result verified={verified} />}
      </div>
      {verify.isBusy && (
        <>
          <p class="hint">
            <RunningTime from={began} to={null} /> {texts.audit.verifyingText}
          </p>
          <Button onClick={() => waiting.current?.abort()}>{texts.audit.stopWaiting}</Button>
        </>
      )}
      <Problem text={verify.problem} />
    </section>
  );
  return [button, result] as const;
}

function Result({ verified: { ok, problem, head, removed, unkeyed, at } }: { verified: Verified }) {
  return (
    <div class={ok ? 'notice notice-good' : 'notice notice-bad'}>
      <p>
        <strong>{ok ? texts.audit.holds : texts.audit.broken}</strong>
      </p>
      <p>{ok ? texts.audit.holdsText(head.count) : problem}</p>
      {removed > 0 && <p>{texts.audit.removed(removed)}</p>}
      {unkeyed > 0 && <p>{texts.audit.unkeyed(unkeyed)}</p>}
      <p class="hint">{texts.audit.head}</p>
      <CopyText label={texts.audit.head} value={`${head.count} ${head.hash}`} />
      <p class="hint">
        {texts.audit.checkedAt} <TimeText at={at} />
      </p>
    </div>
  );
}
