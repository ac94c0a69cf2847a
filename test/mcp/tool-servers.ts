// Tool servers for tests, from npm and a hostile one: as entries of the document, and as a process that
// serves HTTP.
import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { lastingPort } from '../support/lasting-port.ts';

const require = createRequire(import.meta.url);

function script(packageFile: string): string {
  return join(dirname(packageFile), 'dist', 'index.js');
}

const EVERYTHING_SCRIPT = script(require.resolve('@modelcontextprotocol/server-everything/package.json'));
const MEMORY_SCRIPT = script(require.resolve('@modelcontextprotocol/server-memory/package.json'));
const FILESYSTEM_SCRIPT = script(require.resolve('@modelcontextprotocol/server-filesystem/package.json'));

export const EVERYTHING = { command: 'node', args: [EVERYTHING_SCRIPT] };
/** It loses its data when it ends. */
export const MEMORY = {
  command: 'node',
  args: [MEMORY_SCRIPT],
  env: { MEMORY_FILE_PATH: '/tmp/agent-service-memory.jsonl' },
};
/** Its folder is its home. */
export const FILESYSTEM = { command: 'node', args: [FILESYSTEM_SCRIPT, '.'] };

const HOSTILE = fileURLToPath(new URL('./hostile-server.mjs', import.meta.url));

/** Writes the file as an administrator who edits it; a running service notices. */
export function writeServers(dataHome: string, mcpServers: Record<string, unknown>): Promise<void> {
  return writeFile(join(dataHome, 'mcp.json'), JSON.stringify({ mcpServers }), { mode: 0o600 });
}

/** Waits until the tools of this many servers are listed, which only a run requests. */
export async function untilListed(dataHome: string, servers: number): Promise<void> {
  const enough = async () => {
    const listed = await readdir(join(dataHome, 'mcp', 'lists'));
    if (listed.length < servers) throw new Error(`Only ${listed.length} servers told their tools.`);
  };
  await vi.waitFor(enough, { timeout: 30_000, interval: 50 });
}

export interface HttpServerProcess {
  readonly url: string;
  close(): void;
}

/** Starts the reference server over HTTP; resolves when it listens. */
export async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<HttpServerProcess> {
  const port = await lastingPort();
  const child = spawn(process.execPath, [EVERYTHING_SCRIPT, transport], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const listening = Promise.withResolvers<void>();
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString();
    if (said.includes(String(port))) listening.resolve();
  });
  child.once('exit', () => listening.reject(new Error(`It did not start: ${said}`)));
  await listening.promise;
  const path = transport === 'sse' ? 'sse' : 'mcp';
  return { url: `http://127.0.0.1:${port}/${path}`, close: () => child.kill('SIGKILL') };
}

/**
 * Returns a server with the misdeeds that its arguments name. It gets the time to start that a busy machine
 * needs.
 */
export function hostile(...misdeeds: readonly string[]) {
  return { command: 'node', args: [HOSTILE, ...misdeeds], session_init_timeout: 30, tool_call_timeout: 1 };
}
