// The reverse proxies of the README, started with its blocks as they stand. Around a block comes only what a machine of its
// own would have: the rest of the proxy's configuration, with short timeouts. In it, ports and certificates are replaced.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockOf, readPage } from '../docs/documents.ts';
import { SELF_SIGNED } from '../support/certificate.ts';
import { lastingPort } from '../support/lasting-port.ts';

export type ProxyName = 'nginx' | 'caddy' | 'haproxy';

export interface StartedProxy {
  /** The one of https; the proxy answers on it some moments later. */
  readonly port: number;
  /** What it said so far. */
  readonly output: () => string;
  stop(): Promise<void>;
}

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly httpPort: number;
}

interface Proxy {
  /** The language of its block in the README. */
  readonly language: string;
  /** What stands in the block, and what stands there in the test. */
  readonly replace: (place: Place) => Readonly<Record<string, string>>;
  /** The whole configuration. Its timeouts are a little longer than the pause between two heartbeats, 5 s. */
  readonly around: (block: string, place: Place) => string;
  readonly args: (file: string) => readonly string[];
}

const SERVICE = '127.0.0.1:2026';

const PROXIES: Readonly<Record<ProxyName, Proxy>> = {
  nginx: {
    language: 'nginx',
    replace: ({ folder, port }) => ({
      'listen 443 ': `listen 127.0.0.1:${port} `,
      '/etc/ssl/chat.example.com.pem': join(folder, 'cert.pem'),
      '/etc/ssl/private/chat.example.com.key': join(folder, 'key.pem'),
    }),
    around: (block, { folder }) => {
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const folders = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
      const timeouts = 'proxy_read_timeout 8s; proxy_send_timeout 8s; send_timeout 8s;';
      return `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
events {}
http { access_log off; ${folders.join(' ')} ${timeouts}
${block}}
`;
    },
    args: (file) => ['-c', file, '-e', 'stderr'],
  },
  caddy: {
    language: 'caddyfile',
    replace: () => ({}),
    around: (block, { port, httpPort }) => `{
  admin off
  local_certs
  skip_install_trust
  https_port ${port}
  http_port ${httpPort}
}
${block}`,
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  haproxy: {
    language: 'haproxy',
    replace: ({ folder, port }) => ({
      'bind :443 ': `bind 127.0.0.1:${port} `,
      '/etc/haproxy/chat.example.com.pem': join(folder, 'both.pem'),
    }),
    around: (block) => `defaults
  mode http
  timeout connect 5s
  timeout client 8s
  timeout server 8s
${block}`,
    args: (file) => ['-db', '-f', file],
  },
};

export function isInstalled(name: ProxyName): boolean {
  return spawnSync(name, [name === 'caddy' ? 'version' : '-v']).status === 0;
}

/** Passes requests on to the service of this port. */
export async function startProxy(name: ProxyName, servicePort: number): Promise<StartedProxy> {
  const proxy = PROXIES[name];
  const folder = await mkdtemp(join(tmpdir(), `agent-service-${name}-`));
  const place = { folder, port: await lastingPort(), httpPort: await lastingPort() };
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'cert.pem'), SELF_SIGNED.cert);
  await writeFile(join(folder, 'key.pem'), SELF_SIGNED.key);
  await writeFile(join(folder, 'both.pem'), SELF_SIGNED.cert + SELF_SIGNED.key);
  const written = blockOf(await readPage('README.md'), proxy.language);
  const block = replaced(written, { [SERVICE]: `127.0.0.1:${servicePort}`, ...proxy.replace(place) });
  const file = join(folder, 'configuration');
  await writeFile(file, proxy.around(block, place));

  const { PATH = '' } = process.env;
  const child = spawn(name, proxy.args(file), {
    env: { PATH, HOME: join(folder, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = once(child, 'exit');
  return {
    port: place.port,
    output: () => output,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Every one of the words must be there, or the test would try something else than it says. */
function replaced(block: string, words: Readonly<Record<string, string>>): string {
  return Object.entries(words).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The block of the README does not have "${from}".`);
    return text.replaceAll(from, to);
  }, block);
}
