import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { pageQuery, setPageQuery } from '../../api/page-query.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form, Panel, TimeText } from '../../ui/index.ts';

type Explained = Answer<'explain'>;
type Refused = Omit<Explained, 'requestId' | 'earlier'>;

/** Explains why a request was refused. The user enters the request's id, or a link contains it as `?request=`. */
export function Explain() {
  const [requestId, setRequestId] = useState(() => pageQuery('request'));
  const [explained, setExplained] = useState<Explained | 'unknown'>();
  const ask = async (id: string) => {
    setExplained(undefined);
    setPageQuery({ request: id });
    try {
      setExplained(await call('explain', { params: { requestId: id } }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      setExplained('unknown');
    }
  };
  useEffect(() => {
    if (isRequestId(requestId)) ask(requestId).catch(() => setExplained('unknown'));
  }, []);
  return (
    <Panel title={texts.commandCheck.explain} lead={texts.commandCheck.explainLead}>
      <Form submitLabel={texts.commandCheck.ask} onSubmit={() => ask(requestId.trim())}>
        <Field
          label={texts.commandCheck.requestId}
          required
          maxLength={128}
          // The pattern allows the characters of a request id (contract 1), but not `.` and `..`, which would change
          // the path.
          pattern="\s*(?!\.{1,2}\s*$)[A-Za-z0-9._\-]+\s*"
          autoComplete="off"
          spellcheck={false}
          value={requestId}
          onInput={(event) => setRequestId(event.currentTarget.value)}
        />
      </Form>
      <div role="status">
        {explained === 'unknown' && <p class="notice">{texts.commandCheck.unknown}</p>}
        {explained !== undefined && explained !== 'unknown' && <Explanation explained={explained} />}
      </div>
    </Panel>
  );
}

function isRequestId(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,128}$/.test(text) && !/^\.{1,2}$/.test(text);
}

function Explanation({ explained: { requestId, earlier = [], ...refused } }: { explained: Explained }) {
  return (
    <>
      <RefusalFacts refused={refused} />
      {earlier.length > 0 && (
        <details>
          <summary>
            {texts.commandCheck.earlier} ({earlier.length}): <code>{requestId}</code>
          </summary>
          {earlier.map((each, index) => (
            <RefusalFacts key={index} refused={each} />
          ))}
        </details>
      )}
    </>
  );
}

function RefusalFacts({ refused }: { refused: Refused }) {
  const { facts, unauthenticated } = texts.commandCheck;
  const { at, kind, method, path, status, error, reason, caller, address, sessionId } = refused;
  const none = <span class="soft">{texts.common.none}</span>;
  const rows = [
    [facts.reason, <strong key="reason">{reason}</strong>],
    [facts.request, <code key="request">{`${method} ${path}`}</code>],
    [facts.answer, `${status} ${error}`],
    [facts.caller, caller ?? unauthenticated],
    [facts.address, address ?? none],
    [facts.sessionId, sessionId === null ? none : <code key="session">{sessionId}</code>],
    [facts.kind, kind],
    [facts.at, <TimeText key="at" at={at} />],
  ] as const;
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
