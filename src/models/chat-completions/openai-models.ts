// What the models of OpenAI take and refuse, by their names.

export interface OpenAiModel {
  /** Takes a `reasoning_effort`, and counts what it thinks to the length of its answer. */
  readonly isReasoning: boolean;
  /** The effort that comes nearest to none. */
  readonly leastEffort: 'none' | 'minimal' | 'low';
  /** A temperature is taken: always, while the model does not reason, or never. */
  readonly temperature: 'always' | 'without-reasoning' | 'never';
  /** Tools are refused while the model reasons. */
  readonly hasToolsOnlyWithoutReasoning: boolean;
}

interface GptVersion {
  readonly major: number;
  readonly minor: number;
  readonly variant: string;
}

/** Later ones of these reason only when they are asked to. */
const REASON_ON_REQUEST: ReadonlySet<string> = new Set(['gpt-6.1-terra', 'gpt-6-luna', 'gpt-6-sol']);

/** A name that is unknown is that of a model that does not reason. */
export function openAiModel(name: string): OpenAiModel {
  const gpt = gptVersionOf(name);
  const isReasoning = /^o\d+(?:-|$)/.test(name) || (gpt !== undefined && isReasoningGpt(gpt));
  return {
    isReasoning,
    leastEffort: leastEffortOf(name, gpt),
    temperature: temperatureOf(name, gpt, isReasoning),
    hasToolsOnlyWithoutReasoning: gpt?.major === 5 && gpt.minor >= 6,
  };
}

function gptVersionOf(name: string): GptVersion | undefined {
  const [matched, major, minor = '0', variant = ''] = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(name) ?? [];
  return matched === undefined ? undefined : { major: Number(major), minor: Number(minor), variant };
}

function isReasoningGpt({ major, minor, variant }: GptVersion): boolean {
  return major >= 5 && !(minor === 0 && variant.startsWith('chat'));
}

function leastEffortOf(name: string, gpt: GptVersion | undefined): OpenAiModel['leastEffort'] {
  if (gpt === undefined || REASON_ON_REQUEST.has(name)) return 'none';
  if (gpt.major >= 6) return 'low';
  const isPlain = /^(?:(?:mini|nano)(?:-\d{4}-\d\d-\d\d)?|\d{4}-\d\d-\d\d)?$/.test(gpt.variant);
  return gpt.major === 5 && gpt.minor === 0 && isPlain ? 'minimal' : 'none';
}

function temperatureOf(
  name: string,
  gpt: GptVersion | undefined,
  isReasoning: boolean,
): OpenAiModel['temperature'] {
  if (/^gpt-4o-(?:mini-)?search-preview/.test(name)) return 'never';
  if (!isReasoning) return 'always';
  const isFifth = gpt?.major === 5 && gpt.minor >= 1;
  return isFifth || REASON_ON_REQUEST.has(name) ? 'without-reasoning' : 'never';
}
