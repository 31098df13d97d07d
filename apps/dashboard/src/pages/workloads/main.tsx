import { mountPage } from '../../shell/mount-page.tsx';
import { WorkloadsPage } from './workloads-page.tsx';

mountPage({ page: 'workloads', needs: 'Admin', Content: WorkloadsPage });
