// Asks the person before tools run that need approval by configuration.
import { z } from 'zod';
import type { Json, JsonObject, ToolCall } from '../../messages/message.ts';
import type { Middleware, ReviewContext, ToolReview } from '../middleware.ts';

/** Tool names, and when a person must approve. A tool without an entry needs no approval. */
export type Approvals = Readonly<Record<string, 'always' | 'never' | 'once_per_thread'>>;

const jsonObject = z.record(z.string(), z.json());
const decision = z.union([
  z.looseObject({ type: z.literal('approve') }),
  z.looseObject({ type: z.literal('edit'), edited_action: z.looseObject({ args: jsonObject }) }),
  z.looseObject({ type: z.literal('reject'), message: z.string().optional() }),
]);
type Decision = z.output<typeof decision>;

/** Field of the state: tools that the person has approved for the rest of the thread. */
const APPROVED = 'approved_tools';

/** Asks once for all calls of a message, as clients expect. Asks again after an answer of another form. */
export function createApprovalsMiddleware(approvals: Approvals, name = 'approvals'): Middleware {
  return {
    name,
    reviewTools: async (calls, context) => {
      const approved = new Set(z.array(z.string()).safeParse(context.state.values[APPROVED]).data);
      const asked = calls.filter(({ name }) => needsApproval(approvals[name], approved.has(name)));
      if (asked.length === 0) return { calls, refused: [] };
      return decided(calls, decisionsOf(asked, context), { approvals, approved });
    },
  };
}

function needsApproval(rule: Approvals[string] | undefined, isApproved: boolean): boolean {
  return rule === 'always' || (rule === 'once_per_thread' && !isApproved);
}

function decisionsOf(
  asked: readonly ToolCall[],
  { interrupt }: ReviewContext,
): ReadonlyMap<string, Decision> {
  const schema = z.array(decision).length(asked.length);
  for (let problem: string | undefined; ; problem = 'One decision for every action is needed.') {
    const answer = interrupt(questionAbout(asked, problem));
    const parsed = schema.safeParse(decisionList(answer));
    if (parsed.success)
      return new Map(asked.map(({ id }, index) => [id, parsed.data[index] ?? { type: 'reject' }]));
  }
}

function questionAbout(asked: readonly ToolCall[], problem: string | undefined): JsonObject {
  return {
    action_requests: asked.map(({ name, args }) => ({
      name,
      args,
      description: `The agent wants to use ${name}.`,
    })),
    review_configs: asked.map(({ name }) => ({
      action_name: name,
      allowed_decisions: ['approve', 'edit', 'reject'],
    })),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Reads `{decisions: [...]}`, the bare list, or one decision for one action. */
function decisionList(answer: Json): unknown {
  if (Array.isArray(answer)) return answer;
  const parsed = z.looseObject({ decisions: z.array(z.unknown()) }).safeParse(answer);
  return parsed.success ? parsed.data.decisions : [answer];
}

function decided(
  calls: readonly ToolCall[],
  decisions: ReadonlyMap<string, Decision>,
  { approvals, approved }: { readonly approvals: Approvals; readonly approved: ReadonlySet<string> },
): ToolReview {
  const toRun: ToolCall[] = [];
  const refused: { call: ToolCall; message: string }[] = [];
  const agreed = new Set(approved);
  for (const call of calls) {
    const made = decisions.get(call.id);
    if (made?.type === 'reject') {
      refused.push({ call, message: refusal(made.message) });
      continue;
    }
    toRun.push(made?.type === 'edit' ? { ...call, args: made.edited_action.args } : call);
    if (made !== undefined && approvals[call.name] === 'once_per_thread') agreed.add(call.name);
  }
  const isNew = agreed.size > approved.size;
  return { calls: toRun, refused, ...(isNew ? { values: { [APPROVED]: [...agreed] } } : {}) };
}

function refusal(reason: string | undefined): string {
  const why = reason === undefined || reason === '' ? '' : ` They said: ${reason}`;
  return `Error: the person did not allow this call.${why} Do not try it again in the same way.`;
}
