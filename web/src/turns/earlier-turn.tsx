// An earlier turn. Plain text only, until it comes near the visible part.
import { memo, useMemo, useRef } from 'react';
import type { Fork } from '../conversation/branches.ts';
import type { ModelFallback } from '../conversation/provider-events.ts';
import type { Turn } from '../conversation/turns.ts';
import { usePrinting } from '../print/printing.tsx';
import { SaidText } from './human-message.tsx';
import { useNear } from './nearness.ts';
import { TurnPlace, TurnView } from './turn-view.tsx';

interface EarlierTurnProps {
  readonly turn: Turn;
  /** Whether the turn is drawn in full from the beginning. */
  readonly isDrawn: boolean;
  readonly fallbacks: readonly ModelFallback[] | undefined;
  readonly questionFork: Fork | undefined;
  readonly replyFork: Fork | undefined;
}

/** Matches diagrams and formulas. Printing does not wait for them and would show their source. */
const DRAWN_SLOWLY = /^ *(?:```|~~~) *mermaid|\$|\\[([]/m;

/**
 * Keeps long chats fast: a distant turn needs only a few elements, and can still be searched and read aloud.
 */
export const EarlierTurn = memo(function EarlierTurn({ turn, isDrawn, ...known }: EarlierTurnProps) {
  const place = useRef<HTMLLIElement>(null);
  const isBeforehand = useMemo(() => turn.steps.some(({ text }) => DRAWN_SLOWLY.test(text)), [turn]);
  const isNear = useNear(place, { isNearAtFirst: isDrawn, isBeforehand });
  const isPrinting = usePrinting();
  return (
    <TurnPlace ref={place} isNewest={false}>
      {isNear || isDrawn || isPrinting ? (
        <TurnView
          turn={turn}
          state="over"
          isNewest={false}
          canRegenerate={false}
          onAnswer={undefined}
          {...known}
        />
      ) : (
        <TurnWords turn={turn} />
      )}
    </TurnPlace>
  );
});

function TurnWords({ turn: { human, steps } }: Pick<EarlierTurnProps, 'turn'>) {
  return (
    <>
      {human !== undefined && (
        <div className="grid min-w-0 justify-items-end">
          <h2 className="sr-only">You</h2>
          <SaidText message={human} />
        </div>
      )}
      <div className="grid min-w-0 gap-4" data-role="assistant">
        <h2 className="sr-only">Agent</h2>
        {steps.map(({ id, text }) => (
          <div key={id} dir="auto" data-message={id} className="markdown min-w-0 whitespace-pre-wrap">
            {text}
          </div>
        ))}
      </div>
    </>
  );
}
