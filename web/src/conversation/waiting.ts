// The questions on which a run waits: a decision about tool calls, a form, a question in words, or permission
// to continue.
import * as z from 'zod/mini';
import { type AskedForm, readAskedForm } from './asked-form.ts';

const DECISIONS = ['approve', 'edit', 'reject'] as const;
type DecisionType = (typeof DECISIONS)[number];

export interface AskedAction {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly allowed: readonly DecisionType[];
}

/** The segments of a namespace, from the outermost sub-agent inwards. Empty for the lead agent. */
type Asker = readonly string[];

/** `id` identifies the question to the service. Undefined for a plain pause. */
export type Waiting =
  | {
      readonly kind: 'approval';
      readonly id: string | undefined;
      readonly asker: Asker;
      readonly actions: readonly AskedAction[];
      /** Why the service rejected the last answer. */
      readonly problem: string | undefined;
    }
  | {
      readonly kind: 'form';
      readonly id: string | undefined;
      readonly asker: Asker;
      readonly form: AskedForm;
    }
  | {
      readonly kind: 'question';
      readonly id: string | undefined;
      readonly asker: Asker;
      readonly text: string;
    }
  | { readonly kind: 'pause'; readonly id: undefined; readonly next: readonly string[] };

/** In the format that the service expects. */
export type Decision =
  | { readonly type: 'approve' }
  | {
      readonly type: 'edit';
      readonly edited_action: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
    }
  | { readonly type: 'reject'; readonly message?: string };

const interruptSchema = z.object({
  id: z.optional(z.nullable(z.string())),
  value: z.optional(z.unknown()),
  namespace: z.optional(z.nullable(z.array(z.string()))),
});

const approvalSchema = z.object({
  action_requests: z
    .array(z.object({ name: z.string(), args: z.optional(z.record(z.string(), z.unknown())) }))
    .check(z.minLength(1)),
  review_configs: z.optional(
    z.array(z.object({ action_name: z.string(), allowed_decisions: z.optional(z.array(z.string())) })),
  ),
  problem: z.optional(z.nullable(z.string())),
});

/**
 * Returns the first open question, or undefined when nothing waits. The others follow once it is settled.
 * `next` names the waiting nodes.
 */
export function readWaiting(interrupts: readonly unknown[], next: readonly string[]): Waiting | undefined {
  if (interrupts.length === 0) return undefined;
  const { id, value, namespace } = interruptSchema.safeParse(interrupts[0]).data ?? {};
  if (value === undefined) return { kind: 'pause', id: undefined, next };
  const from = { id: id ?? undefined, asker: namespace ?? [] };
  const form = readAskedForm(value);
  if (form !== undefined) return { kind: 'form', ...from, form };
  const approval = approvalSchema.safeParse(value);
  if (!approval.success) return { kind: 'question', ...from, text: wordsOf(value) };
  const { action_requests: actions, review_configs: reviews = [], problem } = approval.data;
  return {
    kind: 'approval',
    ...from,
    problem: problem ?? undefined,
    actions: actions.map(({ name, args = {} }, index) => {
      const review = reviews[index]?.action_name === name ? reviews[index] : undefined;
      const allowed = (review ?? reviews.find((it) => it.action_name === name))?.allowed_decisions;
      return { name, args, allowed: DECISIONS.filter((it) => allowed === undefined || allowed.includes(it)) };
    }),
  };
}

/** Whether the question is about this call of the lead agent. */
export function isAskedAbout(
  waiting: Waiting | undefined,
  call: { readonly name: string; readonly args: unknown },
): boolean {
  if (waiting?.kind !== 'approval' || waiting.asker.length > 0) return false;
  const args = JSON.stringify(call.args);
  return waiting.actions.some((it) => it.name === call.name && JSON.stringify(it.args) === args);
}

/** Returns the value that resumes the run: the answer, keyed by question when more than one is open. */
export function resumeOf(waiting: Waiting, answer: unknown, openQuestions: number): unknown {
  return openQuestions > 1 && waiting.id !== undefined ? { [waiting.id]: answer } : answer;
}

const questionSchema = z.object({ human_input: z.object({ question: z.string() }) });

function wordsOf(value: unknown): string {
  const asked = questionSchema.safeParse(value);
  if (asked.success) return asked.data.human_input.question;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
