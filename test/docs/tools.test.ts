// The page of tools says of each what the model is offered.
import { afterAll, expect, it } from 'vitest';
import type { Tool, ToolEffect } from '../../src/tools/tool.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed } from '../support/service.ts';
import { readPage } from './documents.ts';

interface OfferedTool {
  readonly function: {
    readonly name: string;
    readonly parameters: {
      readonly properties: Readonly<Record<string, unknown>>;
      readonly required?: readonly string[];
    };
  };
}

/** What the agent has of sub-agents, of skills and of plan mode. */
const ADDED: Readonly<Record<string, ToolEffect>> = {
  task: 'idempotent',
  skill_manage: 'once',
  write_todos: 'read',
};

let own: readonly Tool[] = [];
const service = await openTestService({
  config: {
    sandbox: { kind: 'virtual' },
    agent: { subagents: { enabled: true } },
    skills: { manage_tool: true },
    tools: { web_search: { provider: 'searxng', base_url: 'http://search.example.com' } },
  },
  scripted: { supports_vision: true },
  overrides: { tools: (tools) => (own = tools) },
});
afterAll(() => service.close());

/** Of a model that sees, where everything is switched on. */
async function offered(): Promise<readonly OfferedTool[]> {
  const ann = await service.user();
  service.model.enqueue(answer.text('done'));
  const inPlanMode = { config: { configurable: { is_plan_mode: true } } };
  await streamed(ann, await newThread(ann), question('hello', inPlanMode));
  const [request] = service.model.requests;
  return request?.body.tools as readonly OfferedTool[];
}

it('[docs.tools] names every tool with its arguments and its effect', async () => {
  const page = await readPage('docs/tools.md');
  const rows = [...page.matchAll(/^\| `(\w+)` +\| `([^`]*)` +\| (\w+) +\|/gm)].map(([, name, args, effect]) =>
    [name, args, effect].join(': '),
  );
  const tools = (await offered()).map(({ function: { name, parameters } }) => {
    const args = Object.keys(parameters.properties).map((it) =>
      parameters.required?.includes(it) ? it : `${it}?`,
    );
    const effect = own.find((it) => it.name === name)?.effect ?? ADDED[name];
    return [name, args.join(', '), effect].join(': ');
  });
  expect(rows.toSorted()).toEqual(tools.toSorted());
});
