// The peer: `@langchain/langgraph-api` with its own agent and model client, installed on demand.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startServer } from './child.ts';
import type { Contender } from './contender.ts';

const FOLDER = fileURLToPath(new URL('peer', import.meta.url));

/** `agents` is a file of `peer/`: the bench's own agent, or those whose streams are recorded. */
export async function startPeer(modelPort: number, agents = 'graph.mjs'): Promise<Contender> {
  install();
  const folder = mkdtempSync(join(tmpdir(), 'bench-peer-'));
  const { child, port } = await startServer('peer/server.mjs', [String(await freePort()), folder, agents], {
    env: {
      ...process.env,
      BENCH_MODEL_URL: `http://127.0.0.1:${modelPort}/v1`,
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
    },
  });
  return {
    name: 'peer',
    pid: child.pid,
    port,
    headers: {},
    prefix: '',
    createsThreads: true,
    async end() {
      await child.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function install(): void {
  if (existsSync(join(FOLDER, 'node_modules'))) return;
  console.log('Installing the peer into bench/peer ...');
  const options = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--workspaces=false'];
  const { status } = spawnSync('npm', options, { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) throw new Error('The peer could not be installed.');
}
