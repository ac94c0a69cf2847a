// Sends reasoning back to the providers that want it, in the form that each wants.
import type { LanguageModelV4ReasoningPart } from '@ai-sdk/provider';
import type { AiMessage } from '../../messages/message.ts';
import type { Provider } from '../model-options.ts';
import type { ProviderEcho } from '../prompt/provider-echo.ts';

export interface Reasoned {
  readonly message: AiMessage;
  readonly echo: ProviderEcho | undefined;
  readonly provider: Provider;
}

type Parts = readonly LanguageModelV4ReasoningPart[];

/** A signature fits only its text. After any change, and for another provider, none is sent. */
export function signedReasoning(_: Parts, { message, echo, provider }: Reasoned): Parts {
  const text = reasoningOf(message);
  const blocks = echo?.reasoning ?? [];
  const length = blocks.reduce((sum, block) => sum + block.length, 0);
  if (length !== text.length) return [];
  let start = 0;
  return blocks.flatMap((block) => {
    const part = text.slice(start, start + block.length);
    start += block.length;
    return block.options[provider] === undefined
      ? []
      : [{ type: 'reasoning' as const, text: part, providerOptions: block.options }];
  });
}

export function wholeReasoning(_: Parts, { message }: Reasoned): Parts {
  const text = reasoningOf(message);
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

/** Servers that want reasoning back want it between a call and its result; others may refuse the field. */
export function reasoningOfCalls(parts: Parts, reasoned: Reasoned): Parts {
  return reasoned.message.tool_calls.length === 0 ? parts : wholeReasoning(parts, reasoned);
}

function reasoningOf(message: AiMessage): string {
  const reasoning = message.additional_kwargs.reasoning_content;
  return typeof reasoning === 'string' ? reasoning : '';
}
