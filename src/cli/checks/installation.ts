// What is installed: the version of Node that runs the service, and the web app.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { WEB_ROOT } from '../web-build.ts';

const NEEDED_MAJOR = 24;

export function checkNode(version: string): Finding {
  const major = Number.parseInt(version, 10);
  if (major >= NEEDED_MAJOR) return { verdict: 'ok', subject: 'node', message: `Node ${version}.` };
  return {
    verdict: 'problem',
    subject: 'node',
    message: `This is Node ${version}; the service needs ${NEEDED_MAJOR}.`,
    fix: 'Run it through npm (`npm start`), which uses the Node that `npm ci` installed.',
  };
}

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
