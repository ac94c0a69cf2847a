// A plan as Markdown, made of the person's own words, and as the list of plan mode.
import type { ToolResult } from './conversation.ts';
import { listed } from './intent.ts';
import { callTools, type DemoReply, shortened } from './reply.ts';

/** Returns a plan of the items after a colon; with fewer than two, the general shape of a piece of work. */
export function planFor(goal: string): string {
  if (goal === '') return 'Tell me what to plan, for example “plan a birthday party: guests, cake, music”.';
  const { subject, named } = partsOf(goal);
  const steps = named.length > 1 ? stepsFor(named) : generalSteps(subject);
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join('\n');
  const note =
    '*I am a demo model: this is a pattern filled with your words, a start to cross things out of.*';
  return `## Plan: ${subject}\n\n${list}\n\n${note}`;
}

function partsOf(goal: string): { readonly subject: string; readonly named: readonly string[] } {
  const colon = goal.indexOf(':');
  const named = listed(colon < 0 ? '' : goal.slice(colon + 1), /[,;\n]|\sand\s/);
  return { subject: (colon < 0 ? goal : goal.slice(0, colon)).trim(), named };
}

const MAX_ITEMS = 10;
const ITEM_CHARACTERS = 100;

/** Returns the next step of work by a plan, one per result; `undefined` when nothing is left to do. */
export function planCall(goal: string, results: readonly ToolResult[]): DemoReply | undefined {
  const done = results.length;
  const { named } = partsOf(goal);
  const items = (named.length > 1 ? named : ['Goal', 'First version', 'Finish']).slice(0, MAX_ITEMS);
  if (goal === '' || done > items.length || results.some(({ failed }) => failed)) return undefined;
  const todos = items.map((item, index) => ({
    content: shortened(capital(item), ITEM_CHARACTERS),
    status: statusOf(index - done),
  }));
  return callTools(done === 0 ? 'I will work by a plan.' : '', { name: 'write_todos', args: { todos } });
}

function statusOf(place: number): string {
  if (place < 0) return 'completed';
  return place === 0 ? 'in_progress' : 'pending';
}

function stepsFor(named: readonly string[]): string[] {
  const work = named.map((name) => `**${capital(name)}**: decide what is needed, who does it and by when.`);
  return [...work, '**Check**: go through the list together, and write down what is still open.'];
}

function generalSteps(subject: string): string[] {
  return [
    `**Goal**: write one sentence that says when “${subject}” is done.`,
    '**Look around**: collect what is there already, and what is missing.',
    '**First version**: do the smallest thing that would already be useful.',
    '**Try it**: show it to one person, and note what they stumble over.',
    '**Improve**: fix the two things that matter most; leave the rest.',
    '**Finish**: compare with the sentence from step 1, and write down what you learned.',
  ];
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
