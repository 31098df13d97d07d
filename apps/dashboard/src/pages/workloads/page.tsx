import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOnAudit } from '../../live/use-audit-events.ts';
import { texts } from '../../texts/en.ts';
import { Button, EmptyState, PageHeader, ResourceTable, toast, useConfirm } from '../../ui/index.ts';
import { MakeRule, type Suggestion, type TrustRule } from './make-rule.tsx';
import { columns } from './rule-columns.tsx';
import { TestBox } from './test-box.tsx';

export function Page() {
  const rules = useResource((signal) => call('listTrustRules', { signal }));
  const [start, setStart] = useState<Suggestion | 'empty'>();
  useReloadOnAudit(
    (event) => event === 'authz_admin' || event === 'authn_token_created',
    () => rules.reload(),
  );
  const change = async ({ id, paused }: TrustRule) => {
    const changed = await call('changeTrustRule', { params: { id }, body: { paused: !paused } });
    rules.change((all) => all.map((rule) => (rule.id === id ? changed : rule)));
  };
  const [dialog, ask] = useConfirm(({ id, name }: TrustRule) => ({
    title: texts.workloads.removeTitle(name),
    text: texts.workloads.removeText,
    confirmLabel: texts.workloads.remove,
    onConfirm: async () => {
      await call('deleteTrustRule', { params: { id } });
      rules.change((all) => all.filter((rule) => rule.id !== id));
      toast(texts.workloads.removed(name));
    },
  }));
  return (
    <>
      <PageHeader
        title={texts.pages.workloads}
        lead={texts.workloads.lead}
        actions={
          <Button kind="primary" onClick={() => setStart('empty')}>
            {texts.workloads.make}
          </Button>
        }
      />
      <section class="panel" aria-label={texts.workloads.list}>
        <ResourceTable
          label={texts.workloads.list}
          resource={rules}
          columns={columns({ onChange: change, onRemove: ask })}
          rowKey={({ id }) => id}
          empty={<EmptyState title={texts.workloads.empty} text={texts.workloads.emptyText} />}
        />
      </section>
      <TestBox rules={rules.value ?? []} onSuggest={setStart} />
      <MakeRule start={start} onMade={rules.reload} onClose={() => setStart(undefined)} />
      {dialog}
    </>
  );
}
