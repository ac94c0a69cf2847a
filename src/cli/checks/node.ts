// The version of Node that runs the service.
import type { Finding } from '../finding.ts';

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
