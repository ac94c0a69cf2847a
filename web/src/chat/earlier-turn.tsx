// A turn that is over and has others after it: its words alone, until it comes near what is shown.
import { memo, useMemo, useRef } from 'react';
import { usePrinting } from '../print/printing.tsx';
import type { Fork } from './checkpoint-tree.ts';
import { useNear } from './nearness.ts';
import { SaidText } from './said-text.tsx';
import { TurnPlace, TurnView } from './turn-view.tsx';
import type { Turn } from './turns.ts';
import type { ModelFallback } from './use-model-fallbacks.ts';

interface EarlierTurnProps {
  readonly turn: Turn;
  /** Whether it is shown as what it is from the beginning. */
  readonly isDrawn: boolean;
  readonly fallbacks: readonly ModelFallback[] | undefined;
  readonly questionFork: Fork | undefined;
  readonly answerFork: Fork | undefined;
}

/** Diagrams and formulas: a browser that prints waits for nobody, and would have their source. */
const DRAWN_SLOWLY = /^ *(?:```|~~~) *mermaid|\$|\\[([]/m;

/** A long chat opens fast: what is far away costs a few elements, and can be found and read aloud nevertheless. */
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
