// The body of a request. What was already sent of a long thread is sent again as the same bytes; only new
// messages are encoded.
import type { Breath } from '../../breath.ts';
import type { Message } from '../../messages/message.ts';
import { RecentValues } from '../../recent-values.ts';
import type { ModelRequest, ToolSpec } from '../model.ts';
import type { ProviderOptions } from '../model-options.ts';
import { createPromptConverter, instructions, type PromptConverter } from '../prompt/to-prompt.ts';
import type { Prompt, ProviderQuirks } from '../quirks/quirks.ts';
import { isReply } from '../quirks/tool-pairing.ts';
import { encodeMessage } from './encode-message.ts';
import type { ChatProvider, ProviderProfile } from './provider-profile.ts';
import { grown, NO_BYTES, SentHistories, type SentHistory, viewOf } from './sent-history.ts';

interface EncoderParts {
  readonly entry: ProviderOptions<ChatProvider>;
  readonly profile: ProviderProfile;
  readonly quirks: ProviderQuirks;
}

/** Returns the pieces of a body. Others get their turn between two pieces of the work. */
export type RequestEncoder = (
  request: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'thinking'>,
  breath: Breath,
) => Promise<readonly Uint8Array[]>;

/** Shorter threads are faster to convert than to cache. */
const FEWEST_MESSAGES = 16;
/** Most cached bytes of a thread. Later messages are encoded each time: images weigh more than words. */
const MOST_BYTES = 16_777_216;
/** Messages that are converted before others get their turn. */
const IN_ONE_PIECE = 64;
/** Characters that are encoded before others get their turn. */
const AT_ONCE = 65_536;

interface SplitPrompt {
  readonly known: SentHistory | undefined;
  /** What is cached from now on, after `known`. */
  readonly added: Prompt;
  readonly rest: Prompt;
  /** The number of the thread's messages in `known` and `added` together. */
  readonly count: number;
  /** The instructions among those messages, and among the others. */
  readonly system: readonly string[];
  readonly restSystem: readonly string[];
}

/** One per model. What it caches of a thread lives as long as the thread's first message. */
export function createRequestEncoder({ entry, profile, quirks }: EncoderParts): RequestEncoder {
  const rules = { provider: entry.provider, supportsVision: entry.supports_vision };
  const converter = createPromptConverter(rules, quirks);
  const histories = new SentHistories();
  // Most calls have the same instructions and tools, so waiting calls share the same bytes.
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
    const last = older.prompt.at(-1);
    // A reply before another one is merged with it.
    const isKept = last !== undefined && last.role !== 'assistant';
    if (isKept && (known === undefined || known.bytes.length < MOST_BYTES))
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
    // Instructions in a thread belong to that thread alone.
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
    // Each message has a comma after it.
    return [head, viewOf(bytes), bytesOf(rest.slice(0, -1)), tailOf(tools)];
  };
}

/** Returns how many messages are final: those before the newest reply, up to which results count. */
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

/** Converts in pieces, with the same result: what precedes a reply does not depend on what follows it. */
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
  // Pieces may end between two replies, which are merged.
  return { prompt: quirks.neighbours(prompt, undefined), system };
}

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

function textOf(prompt: Prompt, profile: ProviderProfile): string {
  const encoded = prompt.flatMap((message) => encodeMessage(message, { profile, withReasoning: true }));
  return encoded.map((it) => `${JSON.stringify(it)},`).join('');
}

/** Allocates separate memory: a waiting call must not hold the pool from which `Buffer.from` allocates. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

interface ToolText extends Pick<ToolSpec, 'name' | 'description'> {
  readonly text: string;
}

/** By schema: every run has its own tools, but all of them share the schemas. */
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
