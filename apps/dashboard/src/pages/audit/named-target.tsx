import { Breakable } from '../../ui/breakable.tsx';
import { TimeText } from '../../ui/index.ts';
import type { AuditItem } from './load-audit.ts';
import { addressOf, type Names } from './target-names.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** A value that is an id. A name that a user chose can contain one. */
const ID = new RegExp(`^${UUID}$`);
/** Ids and times, with which `split` alternates with the text between them. */
const PARTS = new RegExp(`(${UUID}|\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z)`);

/** Shows what an id stands for, by its name if it is known. The tooltip has the id. */
function Named({ id, names, href }: { id: string; names: Names; href?: string | undefined }) {
  const known = names.get(id);
  const isUuid = ID.test(id);
  const text = known?.name ?? (isUuid ? id.slice(0, 8) : id);
  const address = known?.href ?? href;
  const shown = known?.name == null && isUuid ? <code>{text}</code> : <Breakable text={text} />;
  if (address === undefined) return <span title={text === id ? undefined : id}>{shown}</span>;
  return (
    <a href={address} title={id}>
      {shown}
    </a>
  );
}

export function TargetCell({ row, names }: { row: AuditItem; names: Names }) {
  return row.target === null ? null : <Named id={row.target} names={names} href={addressOf(row)} />;
}

/** Shows the reason with the names of what it refers to by an id, and with its times as the pages show times. */
export function Reason({ reason, names }: { reason: string | null; names: Names }) {
  return (
    <>
      {reason?.split(PARTS).map((part, index) => {
        if (index % 2 === 0) return <Breakable key={index} text={part} />;
        return ID.test(part) ? (
          <Named key={index} id={part} names={names} />
        ) : (
          <TimeText key={index} at={part} />
        );
      })}
    </>
  );
}
