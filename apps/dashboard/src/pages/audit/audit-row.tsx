import { pageAddress } from '../../api/addresses.ts';
import { texts } from '../../texts/en.ts';
import { Button, Dialog, LinkButton } from '../../ui/index.ts';
import { type AuditFilter, NO_FILTER } from './audit-filter.ts';
import type { AuditItem } from './load-audit.ts';
import { TargetCell } from './named-target.tsx';
import type { Names } from './target-names.ts';

interface AuditRowProps {
  row: AuditItem | undefined;
  names: Names;
  onSearch: (filter: AuditFilter) => void;
  onClose: () => void;
}

type FieldName = keyof typeof texts.audit.fields;

/** Shows all fields of one audit row. */
export function AuditRow({ row, names, onSearch, onClose }: AuditRowProps) {
  return (
    <Dialog open={row !== undefined} wide title={texts.audit.row} onClose={onClose}>
      {row !== undefined && <RowFields row={row} names={names} onSearch={onSearch} />}
    </Dialog>
  );
}

type FieldsProps = Omit<AuditRowProps, 'row' | 'onClose'> & { row: AuditItem };

function RowFields({ row, names, onSearch }: FieldsProps) {
  const { actor, requestId, outcome, target } = row;
  const fields = Object.keys(texts.audit.fields) as FieldName[];
  return (
    <>
      <dl class="facts">
        {fields.map((name) => (
          <div key={name}>
            <dt>{texts.audit.fields[name]}</dt>
            <dd>
              {name === 'target' && target !== null && names.has(target) && (
                <>
                  <TargetCell row={row} names={names} /> ·{' '}
                </>
              )}
              {row[name] ?? <span class="soft">{texts.common.none}</span>}
            </dd>
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
