import { type RunningServer, startApi } from '../../support/lab.ts';

export const EMAIL = 'admin@svc.local';
const PUBLIC_URL = 'https://lab.example.com';

/** Starts the API with a mail server and a public URL for links. */
export const startWithMail = (smtpUrl: string, env: Record<string, string> = {}): Promise<RunningServer> =>
  startApi({ env: { SVC_SMTP_URL: smtpUrl, SVC_PUBLIC_URL: PUBLIC_URL, ...env } });

export const forgotPassword = (server: RunningServer) =>
  server.api('/auth/forgot-password', { method: 'POST', json: { email: EMAIL } });
