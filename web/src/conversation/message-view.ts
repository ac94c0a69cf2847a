// Parses the messages of the service into the views that the screen shows.
import * as z from 'zod/mini';
import { readSentFiles, type SentFile } from '../api/sent-message.ts';

const blockSchema = z.looseObject({ type: z.string(), text: z.optional(z.string()) });

const messageSchema = z.object({
  type: z.string(),
  id: z.optional(z.nullable(z.string())),
  content: z.union([z.string(), z.array(z.union([z.string(), blockSchema]))]),
  name: z.optional(z.nullable(z.string())),
  additional_kwargs: z.optional(
    z.nullable(z.looseObject({ reasoning_content: z.optional(z.unknown()), files: z.optional(z.unknown()) })),
  ),
  response_metadata: z.optional(
    z.nullable(
      z.looseObject({ model_name: z.optional(z.unknown()), finish_reason: z.optional(z.unknown()) }),
    ),
  ),
  tool_calls: z.optional(
    z.nullable(
      z.array(
        z.object({
          id: z.optional(z.nullable(z.string())),
          name: z.string(),
          args: z.optional(z.record(z.string(), z.unknown())),
        }),
      ),
    ),
  ),
  tool_call_id: z.optional(z.nullable(z.string())),
  status: z.optional(z.nullable(z.string())),
  artifact: z.optional(z.unknown()),
});

const questionSchema = z.object({
  human_input: z.object({
    question: z.string(),
    context: z.optional(z.nullable(z.string())),
    options: z.optional(
      z.nullable(
        z.array(z.union([z.string(), z.object({ label: z.string(), value: z.optional(z.string()) })])),
      ),
    ),
  }),
});

const subagentSchema = z.object({ subagent: z.object({ steps: z.number() }) });

const imageSchema = z.object({ image: z.object({ path: z.string() }) });

export interface HumanView {
  readonly kind: 'human';
  readonly id: string;
  readonly text: string;
  readonly files: readonly SentFile[];
}

export interface ToolCallView {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface AiView {
  readonly kind: 'ai';
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCallView[];
  readonly model: string | undefined;
  /** True when the model stopped at its maximum length. */
  readonly isCut: boolean;
}

export interface QuestionView {
  readonly question: string;
  readonly context: string | undefined;
  readonly options: readonly { readonly label: string; readonly value: string }[];
}

export interface ToolResultView {
  readonly kind: 'tool';
  readonly callId: string;
  readonly status: 'success' | 'error';
  readonly text: string;
  readonly question: QuestionView | undefined;
  /** The number of tool calls of the sub-agent that the call started. */
  readonly steps?: number | undefined;
  /** The path of an image that the tool showed to the model. */
  readonly image: string | undefined;
}

export type MessageView = HumanView | AiView | ToolResultView;

/**
 * Parses a message. Returns undefined for messages that are not shown: system messages and unknown shapes.
 */
export function readMessage(message: unknown, position: number): MessageView | undefined {
  const parsed = messageSchema.safeParse(message);
  if (!parsed.success) return undefined;
  const it = parsed.data;
  const id = it.id ?? `position-${position}`;
  if (it.type === 'human')
    return { kind: 'human', id, text: textOf(it.content), files: readSentFiles(it.additional_kwargs?.files) };
  if (it.type === 'ai') return readAi(it, id);
  if (it.type !== 'tool' || it.tool_call_id == null) return undefined;
  return {
    kind: 'tool',
    callId: it.tool_call_id,
    status: it.status === 'error' ? 'error' : 'success',
    text: textOf(it.content),
    question: readQuestion(it.artifact),
    steps: z.safeParse(subagentSchema, it.artifact).data?.subagent.steps,
    image: z.safeParse(imageSchema, it.artifact).data?.image.path,
  };
}

type ParsedMessage = z.infer<typeof messageSchema>;

function readAi(message: ParsedMessage, id: string): AiView {
  const { reasoning_content: reasoning } = message.additional_kwargs ?? {};
  const { model_name: model, finish_reason: finishReason } = message.response_metadata ?? {};
  return {
    kind: 'ai',
    id,
    text: textOf(message.content),
    reasoning: typeof reasoning === 'string' ? reasoning : '',
    calls: (message.tool_calls ?? []).map((call, index) => ({
      id: call.id ?? `${id}-${index}`,
      name: call.name,
      args: call.args ?? {},
    })),
    model: typeof model === 'string' ? model : undefined,
    isCut: finishReason === 'length',
  };
}

function readQuestion(artifact: unknown): QuestionView | undefined {
  const parsed = questionSchema.safeParse(artifact);
  if (!parsed.success) return undefined;
  const { question, context, options } = parsed.data.human_input;
  return {
    question,
    context: context ?? undefined,
    options: (options ?? []).map((option) =>
      typeof option === 'string'
        ? { label: option, value: option }
        : { label: option.label, value: option.value ?? option.label },
    ),
  };
}

function textOf(content: ParsedMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (typeof block === 'string' ? block : textOfBlock(block))).join('');
}

function textOfBlock(block: z.infer<typeof blockSchema>): string {
  return block.type === 'text' ? (block.text ?? '') : '';
}
