// The agent loop drawn as a graph, for clients that show one.
import { z } from 'zod';

export const assistantGraphSchema = z
  .object({
    nodes: z.array(z.object({ id: z.string(), name: z.string(), type: z.string(), data: z.string() })),
    edges: z.array(z.object({ source: z.string(), target: z.string(), conditional: z.boolean() })),
  })
  .meta({ id: 'AssistantGraph' });

type AssistantGraph = z.output<typeof assistantGraphSchema>;

const START = '__start__';
const END = '__end__';

/** `model -> tools -> model` until the model stops; every agent of the service is this loop. */
export const AGENT_GRAPH: AssistantGraph = {
  nodes: [node(START), node('model'), node('tools'), node(END)],
  edges: [
    { source: START, target: 'model', conditional: false },
    { source: 'model', target: 'tools', conditional: true },
    { source: 'model', target: END, conditional: true },
    { source: 'tools', target: 'model', conditional: false },
  ],
};

function node(name: string): AssistantGraph['nodes'][number] {
  const type = name === START || name === END ? 'schema' : 'runnable';
  return { id: name, name, type, data: name };
}
