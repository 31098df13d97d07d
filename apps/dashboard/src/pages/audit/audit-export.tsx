import { apiAddress } from '../../api/addresses.ts';
import { texts } from '../../texts/en.ts';
import { Icon, LinkButton, Menu } from '../../ui/index.ts';
import { type AuditFilter, queryOfFilter } from './audit-filter.ts';

const FORMATS = ['csv', 'jsonl'] as const;

/**
 * Shows links that download all matching rows as files. The browser writes a download to the disk while it arrives, so
 * even a large download needs little memory.
 */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  return (
    <Menu
      label={texts.audit.exportTitle}
      button={
        <>
          {texts.audit.exportTitle}
          <Icon name="down" />
        </>
      }
    >
      <div class="export-links">
        <p class="hint">{texts.audit.exportText}</p>
        {FORMATS.map((format) => (
          <LinkButton
            key={format}
            href={apiAddress(`/audit/export?${new URLSearchParams({ ...queryOfFilter(filter), format })}`)}
            download={`audit.${format}`}
          >
            {texts.audit[format]}
          </LinkButton>
        ))}
      </div>
    </Menu>
  );
}
