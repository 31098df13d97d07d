import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { PageHeader, ResourceView } from '../../ui/index.ts';
import { Enforced } from './enforced.tsx';
import { Explain } from './explain.tsx';
import { ReportPanel } from './report-panel.tsx';

export function Page() {
  const report = useResource((signal) => call('commandAuthReport', { signal }));
  const capabilities = useResource((signal) => call('capabilities', { signal }));
  return (
    <>
      <PageHeader title={texts.pages['command-check']} lead={texts.commandCheck.lead} />
      <ResourceView resource={capabilities}>
        {({ features }) => <Enforced mode={report.value?.mode} features={features} />}
      </ResourceView>
      <ResourceView resource={report}>
        {(value) => <ReportPanel report={value} isLoading={report.isLoading} onRefresh={report.reload} />}
      </ResourceView>
      <Explain />
    </>
  );
}
