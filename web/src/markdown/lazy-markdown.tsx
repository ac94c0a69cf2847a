// Markdown, with the text as it is until the renderer has arrived.
import { lazy, Suspense, useEffect } from 'react';

export interface MarkdownProps {
  readonly text: string;
  /** More of the text is coming. */
  readonly isWriting: boolean;
}

const load = () => import('./markdown.tsx');
const Rendered = lazy(load);

/** Fetches the renderer while there is nothing to render yet. */
export function usePreloadedMarkdown(): void {
  useEffect(() => {
    load().catch(reportError);
  }, []);
}

export function Markdown(props: MarkdownProps) {
  return (
    <Suspense
      fallback={
        <div data-unfinished className="markdown whitespace-pre-wrap">
          {props.text}
        </div>
      }
    >
      <Rendered {...props} />
    </Suspense>
  );
}
