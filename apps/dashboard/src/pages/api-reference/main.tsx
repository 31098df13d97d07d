import { mountPage } from '../../shell/mount-page.tsx';
import { ApiReferencePage } from './api-reference-page.tsx';

mountPage({ page: 'api-reference', needs: 'any', Content: ApiReferencePage });
