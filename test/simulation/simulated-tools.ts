// One tool of each effect; the world remembers every time that one took effect.
import { z } from 'zod';
import { pause, type Timers } from '../../src/timers.ts';
import { defineTool, result, type Tool, type ToolEffect } from '../../src/tools/tool.ts';
import type { World } from './world.ts';

export function simulatedTools({ random, effects, time }: World, timers: Timers): readonly Tool[] {
  const tool = (name: string, effect: ToolEffect): Tool =>
    defineTool({
      name,
      description: name,
      input: z.object({}),
      effect,
      run: async (_, { threadId, callId }) => {
        await pause(timers, random.below(60));
        effects.push({ tool: name, threadId, callId, at: time.now() });
        await pause(timers, random.below(60));
        return result(name);
      },
    });
  return [tool('look', 'read'), tool('put', 'idempotent'), tool('send', 'once')];
}
