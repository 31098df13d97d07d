export { type Mailer, smtpMailer } from './mailer.ts';
export { Outbox } from './outbox.ts';
export { ResetDelivery } from './reset-delivery.ts';
export { expiringMail } from './token-mail.ts';
