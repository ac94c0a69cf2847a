// Builds the web app in the background when its sources changed since the last build.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '../log.ts';

export const WEB_ROOT = fileURLToPath(new URL('../../web/dist', import.meta.url));
const BUILD_SCRIPT = fileURLToPath(new URL('../../scripts/build-web.ts', import.meta.url));

/**
 * Starts the build. Until it ends, the service serves the previous app, or a page that waits for the new one.
 * `kill` ends a build that is still running.
 */
export function buildWebApp(log: Log) {
  const child = spawn(process.execPath, [BUILD_SCRIPT], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => log.info({}, text.trim()));
  }
  child.once('error', (error) => log.warn({ err: error }, 'the web app could not be built'));
  child.unref();
  return { kill: () => child.kill() };
}
