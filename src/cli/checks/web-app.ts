// The web app: is it built?
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../finding.ts';

const BUILT = fileURLToPath(new URL('../../../web/dist', import.meta.url));

export async function checkWebApp(webRoot = BUILT): Promise<Finding> {
  try {
    await stat(join(webRoot, 'index.html'));
    return { verdict: 'ok', subject: 'web app', message: 'Built.' };
  } catch {
    return {
      verdict: 'note',
      subject: 'web app',
      message: 'Not built yet.',
      fix: 'The next start builds it; `node scripts/build-web.ts` does it now.',
    };
  }
}
