export * from './sample-webhook.ts';
export { webhookSuite } from './webhook-suite.ts';
