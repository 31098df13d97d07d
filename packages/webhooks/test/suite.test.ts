import { MemoryWebhooks, webhookSuite } from '../src/testing/index.ts';

webhookSuite('memory', async () => ({ webhooks: new MemoryWebhooks(), close: () => undefined }));
