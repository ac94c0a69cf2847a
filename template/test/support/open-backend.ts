// The whole backend on a port of its own, with an empty data folder, for one test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../backend/log.ts';
import { startBackend } from '../../backend/start-backend.ts';
import { parseConfig } from '../../config/load-config.ts';

type Question = { body?: object | string; as?: string; headers?: Record<string, string> };

export const SECRET = 'a secret that only the tests know of';
export const PASSWORD = 'a long enough passphrase';

/** Keys that differ are given as environment variables; ports are any that are free. */
export function testConfig(environment: Record<string, string> = {}) {
  const config = parseConfig('', { JWT_SECRET: SECRET, APP_LOGGING_LEVEL: 'error', ...environment });
  config.server.backend = config.server.frontend = { host: '127.0.0.1', port: 0 };
  return config;
}

export async function openBackend(environment: Record<string, string> = {}, now: () => number = Date.now) {
  const config = testConfig(environment);
  const dataFolder = await mkdtemp(join(tmpdir(), 'backend-'));
  const backend = await startBackend({ config, log: createLog(config), dataFolder, now });
  /** A request of JSON; `as` is the cookie of the client. */
  const ask = async (line: string, { body, as, headers }: Question = {}) => {
    const [method = 'GET', path = '/'] = line.split(' ');
    const response = await fetch(`${backend.url}${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...(as && { cookie: as }), ...headers },
      body: typeof body === 'object' ? JSON.stringify(body) : (body ?? null),
    });
    const { status, headers: received } = response;
    const isJson = received.get('content-type')?.startsWith('application/json');
    return { status, headers: received, body: isJson ? await response.json() : await response.text() };
  };
  return {
    ...backend,
    ask,
    /** Gives the cookie of a new account. */
    async register(email: string): Promise<string> {
      const { headers } = await ask('POST /api/auth/register', { body: { email, password: PASSWORD } });
      return headers.get('set-cookie')?.split(';')[0] ?? '';
    },
    /** Gives the cookie of another session. */
    async signIn(email: string, password = PASSWORD): Promise<string> {
      const { headers } = await ask('POST /api/auth/sign-in', { body: { email, password } });
      return headers.get('set-cookie')?.split(';')[0] ?? '';
    },
    async close() {
      await backend.close();
      await rm(dataFolder, { recursive: true });
    },
  };
}
