// The web app: is it built?
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { WEB_ROOT } from '../web-build.ts';

export async function checkWebApp(webRoot = WEB_ROOT): Promise<Finding> {
  try {
    await stat(join(webRoot, 'index.html'));
    return { verdict: 'ok', subject: 'web app', message: 'Built.' };
  } catch {
    return {
      verdict: 'note',
      subject: 'web app',
      message: 'Not built yet.',
      fix: 'The next start builds it; `npm run prepare` does it now.',
    };
  }
}
