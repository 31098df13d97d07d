import { mountPage } from '../../shell/mount-page.tsx';
import { ApiKeysPage } from './api-keys-page.tsx';

mountPage({ page: 'api-keys', needs: 'Admin', Content: ApiKeysPage });
