import { mountPage } from '../../shell/mount-page.tsx';
import { LeasesPage } from './leases-page.tsx';

mountPage({ page: 'leases', needs: 'any', Content: LeasesPage });
