import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { brand } from '../api/brand.ts';

interface PageHeaderProps {
  title: string;
  /** One sentence about the purpose of the page. */
  lead?: ComponentChildren;
  /** Buttons for the whole page. */
  actions?: ComponentChildren;
}

/**
 * Renders the heading of a page, which is the page's only `h1`, and gives the document the same title, so that tabs and
 * bookmarks name what the page shows.
 */
export function PageHeader({ title, lead, actions }: PageHeaderProps) {
  const { name } = brand.value;
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
  return (
    <header class="page-header">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <div class="lead">{lead}</div>}
      </div>
      {actions !== undefined && <div class="page-actions">{actions}</div>}
    </header>
  );
}

interface PanelProps {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

/** Renders a section of a page with an `h2` as its heading. */
export function Panel({ title, lead, actions, children }: PanelProps) {
  return (
    <section class="panel">
      <header class="panel-header">
        <div>
          <h2>{title}</h2>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
