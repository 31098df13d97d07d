import { pageAddress } from '../../api/addresses.ts';
import { texts } from '../../texts/en.ts';
import { Button, Dialog, LinkButton } from '../../ui/index.ts';
import { type AuditFilter, NO_FILTER } from './audit-filter.ts';
import type { AuditItem } from './load-audit.ts';

interface AuditRowProps {
  row: AuditItem | undefined;
  onSearch: (filter: AuditFilter) => void;
  onClose: () => void;
}

type FieldName = keyof typeof texts.audit.fields;

/** Shows all fields of one audit row. */
export function AuditRow({ row, onSearch, onClose }: AuditRowProps) {
  return (
    <Dialog open={row !== undefined} wide title={texts.audit.row} onClose={onClose}>
      {row !== undefined && <RowFields row={row} onSearch={onSearch} />}
    </Dialog>
  );
}

function RowFields({ row, onSearch }: { row: AuditItem; onSearch: (filter: AuditFilter) => void }) {
  const { actor, requestId, outcome } = row;
  const names = Object.keys(texts.audit.fields) as FieldName[];
  return (
    <>
      <dl class="facts">
        {names.map((name) => (
          <div key={name}>
            <dt>{texts.audit.fields[name]}</dt>
            <dd>{row[name] ?? <span class="soft">{texts.common.none}</span>}</dd>
          </div>
        ))}
      </dl>
      <div class="form-actions">
        {actor !== null && (
          <Button onClick={() => onSearch({ ...NO_FILTER, actor })}>{texts.audit.onlyThis}</Button>
        )}
        {outcome === 'failure' && requestId !== null && (
          <LinkButton href={`${pageAddress('command-check')}?${new URLSearchParams({ request: requestId })}`}>
            {texts.audit.explain}
          </LinkButton>
        )}
      </div>
    </>
  );
}
