// Checks the installation: the version of Node that runs the service, and the web app.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WEB_BUILD } from '../builds.ts';
import { type Finding, findingsOn } from '../finding.ts';

const NEEDED_MAJOR = 24;

export function checkNode(version: string): Finding {
  const major = Number.parseInt(version, 10);
  const { ok, problem } = findingsOn('node');
  if (major >= NEEDED_MAJOR) return ok(`Node ${version}.`);
  return problem(
    `This is Node ${version}; the service needs ${NEEDED_MAJOR}.`,
    'Run it through npm (`npm start`), which uses the Node that `npm ci` installed.',
  );
}

export function checkWebApp(webRoot = WEB_BUILD.folder): Finding {
  const { ok, note } = findingsOn('web app');
  return existsSync(join(webRoot, 'index.html'))
    ? ok('Built.')
    : note('Not built yet.', 'The next start builds it; `npm run prepare` does it now.');
}
