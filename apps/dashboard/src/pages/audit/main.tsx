import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'audit', needs: 'Admin', Content: Audit });

function Audit() {
  return <PageHeader title={texts.pages.audit} />;
}
