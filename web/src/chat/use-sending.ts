// Sends what is said in a chat as soon as it is known which agent answers there.
import { useEffect, useState } from 'react';
import type { Uploaded } from '../api/file-shapes.ts';

interface Words {
  readonly text: string;
  /** `written`: in the box, with the files there. `said`: by a button; what is in the box stays there. */
  readonly kind: 'written' | 'said';
}

interface SendingOptions {
  /** Whether it is known who answers: a chat that was just opened may have another agent than that of the service. */
  readonly isKnown: boolean;
  readonly takeFiles: () => readonly Uploaded[];
  readonly clearBox: () => void;
  readonly send: (text: string, files: readonly Uploaded[]) => void;
}

/** What is held stays in the box, so that nothing is lost with the page. */
export function useSending({ isKnown, takeFiles, clearBox, send }: SendingOptions): (words: Words) => void {
  const [held, setHeld] = useState<Words>();
  const sendNow = ({ text, kind }: Words) => {
    send(text, kind === 'written' ? takeFiles() : []);
    if (kind === 'written') clearBox();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: sent once, as everything stands then.
  useEffect(() => {
    if (!isKnown || held === undefined) return;
    setHeld(undefined);
    sendNow(held);
  }, [isKnown, held]);
  return (words) => (isKnown ? sendNow(words) : setHeld(words));
}
