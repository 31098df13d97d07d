import { usePageQuery } from '../../api/page-query.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { EmptyState, LinkButton, PageHeader, ResourceView, SearchBox } from '../../ui/index.ts';
import { byTag, DOCUMENT, loadReference, type Operation, type Reference } from './open-api.ts';
import { OperationView } from './operation-view.tsx';

export function Page() {
  const reference = useResource(loadReference);
  return (
    <>
      <PageHeader
        title={texts.pages['api-reference']}
        lead={texts.apiReference.lead}
        actions={<LinkButton href={DOCUMENT}>{texts.apiReference.document}</LinkButton>}
      />
      <ResourceView resource={reference}>{(value) => <Routes reference={value} />}</ResourceView>
    </>
  );
}

function Routes({ reference: { operations } }: { reference: Reference }) {
  const [search, setSearch] = usePageQuery('search');
  const found = operations.filter((operation) => fits(operation, search.trim().toLowerCase()));
  return (
    <>
      <SearchBox label={texts.apiReference.search} value={search} onSearch={setSearch} />
      <p class="soft" role="status">
        {texts.apiReference.count(found.length)}
      </p>
      {found.length === 0 && <EmptyState title={texts.apiReference.empty} />}
      {byTag(found).map(([tag, group]) => (
        <section key={tag} class="reference-group">
          <h2>{tag}</h2>
          {group.map((operation) => (
            <OperationView key={`${operation.method} ${operation.path}`} operation={operation} />
          ))}
        </section>
      ))}
    </>
  );
}

function fits({ method, path, summary, id }: Operation, words: string): boolean {
  return `${method} ${path} ${summary} ${id}`.toLowerCase().includes(words);
}
