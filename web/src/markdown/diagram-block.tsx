// A diagram. Its source is shown while it is being written, and when it cannot be drawn.
import { useEffect, useId, useState } from 'react';
import { useIsCodeFenceIncomplete } from 'streamdown';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from './code-block.tsx';
import type { Picture } from './draw-diagram.ts';

type Drawing =
  | { readonly kind: 'none' }
  | { readonly kind: 'drawn'; readonly source: string; readonly picture: Picture }
  | { readonly kind: 'failed'; readonly source: string };

export function DiagramBlock({ source }: { readonly source: string }) {
  const drawing = useDrawing(source);
  const [isSource, setSource] = useState(false);
  const isDrawn = drawing.kind === 'drawn';
  return (
    <div data-diagram={drawing.kind} className="grid min-w-0 gap-1">
      {isDrawn && !isSource ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a diagram that scrolls must be reachable by keyboard.
        <figure tabIndex={0} aria-label="Diagram" dir="ltr" className="diagram">
          <img {...drawing.picture} alt="Diagram; its source can be shown below." />
        </figure>
      ) : (
        <CodeBlock language="mermaid" code={source} />
      )}
      {isDrawn && (
        <Button
          variant="ghost"
          size="small"
          onClick={() => setSource(!isSource)}
          className="justify-self-start text-muted-foreground"
        >
          {isSource ? 'Show diagram' : 'Show source'}
        </Button>
      )}
      {drawing.kind === 'failed' && (
        <p className="text-[0.8125rem] text-muted-foreground">This diagram could not be drawn.</p>
      )}
    </div>
  );
}

/**
 * Returns the drawing of the source. Draws only complete sources, and never returns the drawing of another
 * source.
 */
function useDrawing(source: string): Drawing {
  const isIncomplete = useIsCodeFenceIncomplete();
  const id = `diagram-${useId().replaceAll(/[^a-z0-9]/gi, '')}`;
  const [drawing, setDrawing] = useState<Drawing>({ kind: 'none' });
  useEffect(() => {
    if (isIncomplete || source.trim() === '') return;
    let isCurrent = true;
    const show = (made: Drawing) => {
      if (isCurrent) setDrawing(made);
    };
    import('./draw-diagram.ts')
      .then(({ drawDiagram }) => drawDiagram(id, source))
      .then(
        (picture) => show({ kind: 'drawn', source, picture }),
        () => show({ kind: 'failed', source }),
      );
    return () => {
      isCurrent = false;
    };
  }, [id, source, isIncomplete]);
  return drawing.kind === 'none' || drawing.source === source ? drawing : { kind: 'none' };
}
