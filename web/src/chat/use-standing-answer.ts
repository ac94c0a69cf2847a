// Answers for the person what they have allowed for the whole chat.
import { useEffect, useRef } from 'react';
import type { AllowedTools } from './use-allowed-tools.ts';
import type { Conversation } from './use-conversation.ts';
import type { Decision, Waiting } from './waiting.ts';

/** Only where the page is seen, so that of several tabs one answers; each question once. */
export function useStandingAnswer(
  { waiting, phase, answer }: Pick<Conversation, 'waiting' | 'phase' | 'answer'>,
  { names }: Pick<AllowedTools, 'names'>,
): void {
  const answered = useRef<string>(undefined);
  const isAllowed = phase === 'idle' && isAllowedBy(waiting, names);
  useEffect(() => {
    if (!isAllowed || waiting?.kind !== 'approval' || document.visibilityState !== 'visible') return;
    if (waiting.id === answered.current) return;
    answered.current = waiting.id;
    const decisions = waiting.actions.map((): Decision => ({ type: 'approve' }));
    answer({ decisions });
  }, [isAllowed, waiting, answer]);
}

/** What a sub-agent asks, and what was answered wrongly before, is for the person. */
function isAllowedBy(waiting: Waiting | undefined, names: readonly string[]): boolean {
  if (waiting?.kind !== 'approval' || waiting.id === undefined || waiting.asker.length > 0) return false;
  if (waiting.problem !== undefined) return false;
  return waiting.actions.every(({ name, allowed }) => names.includes(name) && allowed.includes('approve'));
}
