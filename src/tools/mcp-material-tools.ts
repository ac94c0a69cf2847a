// Resources and prompts of tool servers, listed and read by tools that all servers share.
import { z } from 'zod';
import type { McpMaterial } from '../mcp/mcp-tool.ts';
import type { CallResult } from '../mcp/results/result-parts.ts';
import { ServerFailure } from '../mcp/server-failure.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { keepingOutput } from './kept-output.ts';
import { namedServer } from './mcp-tool.ts';
import { defineTool, type Tool } from './tool.ts';

const NAMES = ['list_mcp_resources', 'read_mcp_resource', 'list_mcp_prompts', 'get_mcp_prompt'] as const;
const serverField = z.string().min(1).max(64).describe('The name of the tool server');

/** Returns only the tools for which there is a server. */
export function createMaterialTools(
  materials: readonly McpMaterial[],
  filesFor: WorkspaceFilesOf,
): readonly Tool[] {
  const resources = new Map(materials.filter((it) => it.resources).map((it) => [it.server, it]));
  const prompts = new Map(materials.filter((it) => it.prompts).map((it) => [it.server, it]));
  const tools = [
    ...(resources.size === 0 ? [] : resourceTools(resources, filesFor)),
    ...(prompts.size === 0 ? [] : promptTools(prompts, filesFor)),
  ];
  return tools.map((tool) => keepingOutput(tool, { filesFor }));
}

type Materials = ReadonlyMap<string, McpMaterial>;

function resourceTools(materials: Materials, filesFor: WorkspaceFilesOf): readonly Tool[] {
  const servers = [...materials.keys()].join(', ');
  const [list, read] = NAMES;
  return [
    defineTool({
      name: list,
      description: `Lists the resources that a tool server offers, by address. Servers: ${servers}.`,
      input: z.object({ server: serverField }),
      effect: 'read',
      run: ({ server }, context) =>
        namedServer(filesFor, { context, tool: list }, async () => {
          const found = await named(materials, server).listResources(context.signal);
          return linesOf(found.map(({ uri, name, description }) => noteLine(uri, [name, description])));
        }),
    }),
    defineTool({
      name: read,
      description: `Reads one of the resources that ${list} lists. Servers: ${servers}.`,
      input: z.object({ server: serverField, uri: z.string().min(1).max(4_096).describe('Its address') }),
      effect: 'read',
      run: ({ server, uri }, context) =>
        namedServer(filesFor, { context, tool: read }, async () =>
          named(materials, server).readResource(uri, context.signal),
        ),
    }),
  ];
}

function promptTools(materials: Materials, filesFor: WorkspaceFilesOf): readonly Tool[] {
  const servers = [...materials.keys()].join(', ');
  const [, , list, get] = NAMES;
  return [
    defineTool({
      name: list,
      description: `Lists the prompts that a tool server offers, for when the person asks for one. Servers: ${servers}.`,
      input: z.object({ server: serverField }),
      effect: 'read',
      run: ({ server }, context) =>
        namedServer(filesFor, { context, tool: list }, async () => {
          const found = await named(materials, server).listPrompts(context.signal);
          return linesOf(
            found.map(({ name, description, arguments: args }) => {
              const takes = args.map((it) => (it.required ? it.name : `${it.name} (optional)`)).join(', ');
              return noteLine(name, [description, takes === '' ? '' : `Arguments: ${takes}`]);
            }),
          );
        }),
    }),
    defineTool({
      name: get,
      description: `Returns one of the prompts that ${list} lists. Servers: ${servers}.`,
      input: z.object({
        server: serverField,
        name: z.string().min(1).max(1_024).describe('The name of the prompt'),
        arguments: z.record(z.string(), z.string().max(20_000)).default({}).describe('Its arguments by name'),
      }),
      effect: 'read',
      run: ({ server, name, arguments: args }, context) =>
        namedServer(filesFor, { context, tool: get }, async () =>
          named(materials, server).getPrompt(name, args, context.signal),
        ),
    }),
  ];
}

function named(materials: Materials, server: string): McpMaterial {
  const material = materials.get(server);
  if (material !== undefined) return material;
  const names = [...materials.keys()].join(', ');
  throw new ServerFailure('refused', `There is no tool server '${server}' for this. There are: ${names}.`);
}

function noteLine(head: string, rest: readonly string[]): string {
  const sentences = rest.filter((it) => it !== '').join('. ');
  return sentences === '' ? `- ${head}` : `- ${head}: ${sentences}`;
}

function linesOf(lines: readonly string[]): CallResult {
  const text = lines.length === 0 ? 'There are none.' : lines.join('\n');
  return { isError: false, parts: [{ kind: 'text', text }], notes: [] };
}
