import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'access', needs: 'Admin', Content: Access });

function Access() {
  return <PageHeader title={texts.pages.access} />;
}
