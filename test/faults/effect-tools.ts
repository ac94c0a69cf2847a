// One tool of each effect. They record each effect where a kill cannot undo it.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool, result, type Tool, type ToolEffect } from '../../src/tools/tool.ts';

const LOOK_MS = 20;

export interface EffectLine {
  readonly tool: string;
  readonly threadId: string;
  readonly callId: string;
}

/**
 * `look` (read), `put` (idempotent), `send` (once). `block` (once) blocks the whole process until `release`,
 * `die` kills it.
 */
export function effectTools(folder: string): readonly Tool[] {
  const tool = (name: string, effect: ToolEffect): Tool =>
    defineTool({
      name,
      description: `A tool that is ${effect}.`,
      input: z.object({ what: z.string() }),
      effect,
      run: async ({ what }, { threadId, callId }) => {
        const line: EffectLine = { tool: name, threadId, callId };
        appendFileSync(effectsFile(folder), `${JSON.stringify(line)}\n`);
        return result(`${name} ${what}`);
      },
    });
  const block = defineTool({
    name: 'block',
    description: 'Blocks the event loop.',
    input: z.object({}),
    // Not blocked again after a takeover.
    effect: 'once',
    run: async () => {
      const nobody = new Int32Array(new SharedArrayBuffer(4));
      while (!existsSync(releaseFile(folder))) Atomics.wait(nobody, 0, 0, LOOK_MS);
      return result('blocked');
    },
  });
  const die = defineTool({
    name: 'die',
    description: 'Takes the process down, every time.',
    input: z.object({}),
    effect: 'read',
    run: async () => {
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    },
  });
  return [tool('look', 'read'), tool('put', 'idempotent'), tool('send', 'once'), block, die];
}

/** Ends the blocking of a process by `block`. */
export function release(folder: string): void {
  writeFileSync(releaseFile(folder), '');
}

/** Returns every effect so far, in order. */
export function effectsIn(folder: string): readonly EffectLine[] {
  const file = effectsFile(folder);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line): EffectLine => JSON.parse(line));
}

function releaseFile(folder: string): string {
  return join(folder, 'released');
}

function effectsFile(folder: string): string {
  return join(folder, 'effects.log');
}
