import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'api-keys', needs: 'Admin', Content: ApiKeys });

function ApiKeys() {
  return <PageHeader title={texts.pages['api-keys']} />;
}
