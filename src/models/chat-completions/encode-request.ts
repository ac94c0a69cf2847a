// The body of a request. What was sent before of a long thread is sent again as the same bytes; only what is new is
// encoded.
import type { Breath } from '../../breath.ts';
import type { Message } from '../../messages/message.ts';
import { RecentValues } from '../../recent-values.ts';
import type { ModelRequest, ToolSpec } from '../model.ts';
import { createPromptConverter, instructions, type PromptConverter } from '../prompt/to-prompt.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { isReply } from '../quirks/empty-content.ts';
import type { Prompt, ProviderQuirks } from '../quirks/quirks.ts';
import { encodeMessage } from './encode-message.ts';
import type { ChatProvider, ProviderProfile } from './provider-profile.ts';
import { grown, NO_BYTES, SentHistories, type SentHistory, viewOf } from './sent-history.ts';

interface EncoderParts {
  readonly entry: ProviderOptions<ChatProvider>;
  readonly profile: ProviderProfile;
  readonly quirks: ProviderQuirks;
}

/** The pieces of a body. Others get their turn between two pieces of the work. */
export type RequestEncoder = (
  request: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'thinking'>,
  breath: Breath,
) => Promise<readonly Uint8Array[]>;

/** Shorter threads are converted faster than they are remembered. */
const FEWEST_MESSAGES = 16;
/** Of a thread with more, what comes after them is made anew: images weigh more than words. */
const MOST_BYTES = 16_777_216;
/** Messages that are converted before others get their turn. */
const IN_ONE_PIECE = 64;
/** Characters that are encoded before others get their turn. */
const AT_ONCE = 65_536;

/** A prompt without its instructions. */
interface SplitPrompt {
  /** What was sent before. */
  readonly known: SentHistory | undefined;
  /** What is kept from now on, with what is known. */
  readonly added: Prompt;
  readonly rest: Prompt;
  /** Messages of the thread in `known` and `added` together. */
  readonly count: number;
  /** The instructions among those messages, and among the others. */
  readonly system: readonly string[];
  readonly restSystem: readonly string[];
}

/** One a model: what it keeps of a thread lives as long as the thread's first message. */
export function createRequestEncoder({ entry, profile, quirks }: EncoderParts): RequestEncoder {
  const rules = { provider: entry.provider, supportsVision: entry.supports_vision };
  const converter = createPromptConverter(rules, quirks);
  const histories = new SentHistories();
  // The instructions and the tools of most calls are the same: calls that wait hold the same bytes.
  const heads = new RecentValues<Buffer>();
  const tails = new RecentValues<Buffer>();
  const toolTexts: ToolTexts = new WeakMap();

  const split = async (messages: readonly Message[], breath: Breath): Promise<SplitPrompt> => {
    const count = keptCount(messages, profile);
    const known = count === 0 ? undefined : histories.beginningOf(messages, count);
    const older = await inPieces(messages.slice(known?.count ?? 0, count), { converter, quirks, breath });
    const newer = converter.convert(messages.slice(count));
    const system = [...(known?.system ?? []), ...older.system];
    const parts = { known, count, system, restSystem: newer.system };
    const begun = (prompt: Prompt) => (known === undefined ? quirks.beginning(prompt, undefined) : prompt);
    if (isKeptBeforeReply(older.prompt) && fits(known))
      return { ...parts, added: begun(older.prompt), rest: newer.prompt };
    const rest = quirks.neighbours([...older.prompt, ...newer.prompt], undefined);
    return { ...parts, added: [], rest: begun(rest) };
  };

  const kept = async (parts: SplitPrompt, messages: readonly Message[], breath: Breath) => {
    const { known, added, count, system } = parts;
    if (added.length === 0) return known?.bytes ?? NO_BYTES;
    let bytes = known?.bytes ?? NO_BYTES;
    for await (const text of texts(added, profile, breath)) bytes = grown(bytes, text);
    histories.keep({ messages, count, system, bytes });
    return bytes;
  };

  const headOf = (settings: string, said: readonly string[]): Buffer => {
    const made = () => bytesOf(`${settings}${textOf(instructions(said), profile)}`);
    // Instructions in a thread are of that thread alone.
    return said.length === 1 ? heads.get([settings, ...said], made) : made();
  };

  const tailOf = (tools: readonly ToolSpec[]): Buffer => {
    const encoded = tools.map((tool) => toolText(tool, profile, toolTexts));
    const field = () => (encoded.length === 0 ? '' : `,"tools":[${encoded.join(',')}]`);
    return tails.get(encoded, () =>
      bytesOf(`]${field()},"stream":true,"stream_options":{"include_usage":true}}`),
    );
  };

  return async ({ system, messages, tools, thinking }, breath) => {
    const parts = await split(messages, breath);
    const bytes = await kept(parts, messages, breath);
    const options = quirks.options({}, { entry, thinking });
    const fields = profile.settings({ entry, thinking: options, hasTools: tools.length > 0 });
    const settings = `${JSON.stringify({ model: entry.model, ...fields }).slice(0, -1)},"messages":[`;
    const head = headOf(settings, [system, ...parts.system, ...parts.restSystem]);
    let rest = '';
    for await (const text of texts(quirks.end(parts.rest, undefined), profile, breath)) rest += text;
    // Each message has a comma behind it.
    return [head, viewOf(bytes), bytesOf(rest.slice(0, -1)), tailOf(tools)];
  };
}

/**
 * How many messages are followed by nothing that could change what is sent of them: those before the newest answer,
 * up to which results are looked for.
 */
function keptCount(messages: readonly Message[], { reasoningBack }: ProviderProfile): number {
  if (messages.length < FEWEST_MESSAGES || reasoningBack === 'of-this-turn') return 0;
  const newest = messages.findLastIndex(({ type }) => type === 'ai');
  return isReply(messages[newest]) ? newest : 0;
}

interface Conversion {
  readonly converter: PromptConverter;
  readonly quirks: ProviderQuirks;
  readonly breath: Breath;
}

/** The same as in one piece: what is sent of messages before an answer does not depend on what comes after them. */
async function inPieces(
  messages: readonly Message[],
  { converter, quirks, breath }: Conversion,
): Promise<ReturnType<PromptConverter['convert']>> {
  if (messages.length <= IN_ONE_PIECE) return converter.convert(messages);
  const prompt: Prompt[number][] = [];
  const system: string[] = [];
  for (let start = 0; start < messages.length; ) {
    let end = Math.min(start + IN_ONE_PIECE, messages.length);
    while (end < messages.length && !isReply(messages[end])) end += 1;
    const piece = converter.convert(messages.slice(start, end));
    prompt.push(...piece.prompt);
    system.push(...piece.system);
    start = end;
    await breath();
  }
  // Pieces may end between two answers, which become one.
  return { prompt: quirks.neighbours(prompt, undefined), system };
}

/** An answer before another one becomes one with it. */
function isKeptBeforeReply(older: Prompt): boolean {
  const last = older.at(-1);
  return last !== undefined && last.role !== 'assistant';
}

function fits(known: SentHistory | undefined): boolean {
  return known === undefined || known.bytes.length < MOST_BYTES;
}

/** JSON texts of the messages with a comma behind each, some messages at a time. */
async function* texts(prompt: Prompt, profile: ProviderProfile, breath: Breath): AsyncGenerator<string> {
  const words =
    profile.reasoningBack === 'of-this-turn' ? prompt.findLastIndex(({ role }) => role === 'user') : -1;
  let text = '';
  for (const [index, message] of prompt.entries()) {
    const encoded = encodeMessage(message, { profile, withReasoning: index > words });
    for (const it of encoded) text += `${JSON.stringify(it)},`;
    if (text.length < AT_ONCE) continue;
    yield text;
    text = '';
    await breath();
  }
  if (text !== '') yield text;
}

/** The same of a short prompt, at once. */
function textOf(prompt: Prompt, profile: ProviderProfile): string {
  const encoded = prompt.flatMap((message) => encodeMessage(message, { profile, withReasoning: true }));
  return encoded.map((it) => `${JSON.stringify(it)},`).join('');
}

/** In memory of their own: a call that waits must not hold the pool that `Buffer.from` cuts its pieces from. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

interface ToolText extends Pick<ToolSpec, 'name' | 'description'> {
  readonly text: string;
}

/** By their schemas: runs have tools of their own with the schema of all of them. */
type ToolTexts = WeakMap<ToolSpec['inputSchema'], ToolText>;

function toolText(
  { name, description, inputSchema }: ToolSpec,
  profile: ProviderProfile,
  texts: ToolTexts,
): string {
  const known = texts.get(inputSchema);
  if (known?.name === name && known.description === description) return known.text;
  const parameters = profile.schema(inputSchema);
  const text = JSON.stringify({ type: 'function', function: { name, description, parameters } });
  texts.set(inputSchema, { name, description, text });
  return text;
}
