import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'api-reference', needs: 'any', Content: ApiReference });

function ApiReference() {
  return <PageHeader title={texts.pages['api-reference']} />;
}
