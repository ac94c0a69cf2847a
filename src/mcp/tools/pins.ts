// Which tools are approved as they are: a tool that says something else of itself later has to be approved again.
import { z } from 'zod';
import type { ToolServer } from '../tool-server.ts';
import { createKeptFile, type KeptFile } from './kept-file.ts';
import type { ListedTool } from './listed-tool.ts';
import { serverKey } from './server-key.ts';

export type ToolState = 'approved' | 'changed' | 'new';

export interface Pins {
  /**
   * The state of each of these tools, by name. Of a server that was never listed all are approved: an administrator has
   * just added it. `personal`: what a person's account has more is approved when it is first seen.
   */
  judge(
    server: ToolServer,
    tools: readonly ListedTool[],
    personal: boolean,
  ): Promise<ReadonlyMap<string, ToolState>>;
  /** They are approved as they are in this list. */
  approve(server: ToolServer, tools: readonly ListedTool[]): Promise<void>;
}

const pinned = z.object({ server: z.string(), tools: z.record(z.string(), z.string()) });

/** Kept in `mcp/pins/` of the data home. */
export function createPins(dataHome: string): Pins {
  const files = new Map<string, KeptFile<z.output<typeof pinned>>>();
  const fileOf = (server: ToolServer) => {
    const key = serverKey(server);
    const file =
      files.get(key) ?? createKeptFile({ dataHome, folder: ['mcp', 'pins'], name: `${key}.json` }, pinned);
    files.set(key, file);
    return file;
  };
  const add = async (server: ToolServer, tools: readonly ListedTool[]): Promise<void> => {
    const file = fileOf(server);
    const before = (await file.read())?.tools ?? {};
    const more = Object.fromEntries(tools.map(({ name, digest }) => [name, digest]));
    await file.write({ server: server.name, tools: { ...before, ...more } });
  };
  return {
    async judge(server, tools, personal) {
      const known = await fileOf(server).read();
      const pins = new Map(Object.entries(known?.tools ?? {}));
      const accepted = known === undefined || personal ? tools.filter(({ name }) => !pins.has(name)) : [];
      if (accepted.length > 0) await add(server, accepted);
      for (const { name, digest } of accepted) pins.set(name, digest);
      return new Map(tools.map((tool) => [tool.name, stateOf(tool, pins.get(tool.name))]));
    },
    approve: add,
  };
}

function stateOf({ digest }: ListedTool, pin: string | undefined): ToolState {
  if (pin === undefined) return 'new';
  return pin === digest ? 'approved' : 'changed';
}
