import { Fragment } from 'preact';
import { type Answer, call } from '../../api/client.ts';
import { ROLES } from '../../api/current-caller.ts';
import { usePageQuery } from '../../api/page-query.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  ResourceView,
  SearchBox,
} from '../../ui/index.ts';

type Row = Answer<'accessMatrix'>['routes'][number];
type Role = keyof Row['allowed'];

const SCOPES = 4;
/**
 * Number of kinds of credential: access key, bearer token and sign-in. For a route that accepts all of them, the page
 * shows one phrase instead of a list of kinds.
 */
const ALL_KINDS = 3;

export function Page() {
  const matrix = useResource((signal) => call('accessMatrix', { signal }));
  const [search, setSearch] = usePageQuery('search');
  const words = search.trim().toLowerCase();
  return (
    <>
      <PageHeader title={texts.pages.access} lead={texts.access.lead} />
      <section class="panel" aria-label={texts.access.list}>
        <SearchBox label={texts.access.search} value={search} onSearch={setSearch} />
        <ResourceView resource={matrix}>
          {({ routes }) => (
            <Groups
              routes={routes.filter(({ method, path }) =>
                `${method} ${shortPath(path)}`.toLowerCase().includes(words),
              )}
              isSearch={words !== ''}
            />
          )}
        </ResourceView>
      </section>
    </>
  );
}

/**
 * Shows the routes in groups by the first part of their paths. The groups are open while a search is entered.
 * Otherwise they are closed, so that the page stays short.
 */
function Groups({ routes, isSearch }: { routes: readonly Row[]; isSearch: boolean }) {
  const groups = new Map<string, Row[]>();
  for (const row of routes) {
    const name = shortPath(row.path).split('/')[1] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  if (routes.length === 0) return <EmptyState title={texts.access.empty} />;
  return (
    <>
      {[...groups].map(([name, rows]) => (
        <details key={`${name} ${isSearch}`} class="route-group" open={isSearch}>
          <summary>
            <code>/{name}</code> <span class="soft">{texts.access.count(rows.length)}</span>
          </summary>
          <DataTable
            label={`${texts.access.list}: /${name}`}
            rows={rows}
            columns={columns()}
            rowKey={({ method, path }) => `${method} ${path}`}
          />
        </details>
      ))}
    </>
  );
}

function columns(): readonly Column<Row>[] {
  const headers = texts.access.columns;
  return [
    {
      id: 'route',
      header: headers.route,
      cell: ({ method, path }) => (
        <code class="path">
          <strong>{method}</strong> {belowApi(path)}
        </code>
      ),
    },
    { id: 'needs', header: headers.needs, cell: (row) => <Words>{needsOf(row)}</Words> },
    ...ROLES.map((role) => ({
      id: role,
      header: role,
      cell: (row: Row) => <Allowed row={row} role={role} />,
    })),
    { id: 'credentials', header: headers.credentials, cell: (row) => <Words>{credentialsOf(row)}</Words> },
    { id: 'notes', header: headers.notes, cell: (row) => <Words>{notesOf(row)}</Words> },
  ];
}

/** Text whose words the browser breaks only if the column cannot become wider. */
function Words({ children }: { children: string }) {
  return <span class="whole-words">{children}</span>;
}

/** Prefix of almost all paths. The page shows paths without this prefix. */
const API = '/svc/api';

function shortPath(path: string): string {
  return path.startsWith(`${API}/`) ? path.slice(API.length) : path;
}

/** Renders a route's path, with a possible line break before each slash. */
function belowApi(path: string) {
  return shortPath(path)
    .split(/(?=\/)/)
    .map((part, index) => (
      <Fragment key={`${index} ${part}`}>
        <wbr />
        {part}
      </Fragment>
    ));
}

function needsOf({ access, role, scope }: Row): string {
  if (access !== 'caller') return texts.access[access];
  if (role === null && scope === null) return texts.access.caller;
  const who = role ?? texts.access.everyRole;
  return scope === null ? texts.access.role(who) : texts.access.roleAndScope(who, scope);
}

/** Shows whether a role may call the route, and with which scopes. */
function Allowed({ row: { access, allowed }, role }: { row: Row; role: Role }) {
  const scopes = allowed[role];
  if (access !== 'caller') return <Badge tone="good">{texts.access.allowed}</Badge>;
  if (scopes.length === 0) return <Badge>{texts.access.notAllowed}</Badge>;
  if (scopes.length === SCOPES) return <Badge tone="good">{texts.access.allScopes}</Badge>;
  return <Badge tone="warn">{texts.access.scopes(scopes.join(', '))}</Badge>;
}

function credentialsOf({ access, credentials }: Row): string {
  if (access !== 'caller') return '';
  return credentials.length < ALL_KINDS ? credentials.join(', ') : texts.access.everyKind;
}

function notesOf({ category, originCheck }: Row): string {
  const words = [texts.access.category[category], ...(originCheck ? [texts.access.originCheck] : [])];
  return words.join(', ');
}
