import { mountPage } from '../../shell/mount-page.tsx';
import { AuditPage } from './audit-page.tsx';

mountPage({ page: 'audit', needs: 'Admin', Content: AuditPage });
