// Markdown. The plain text is shown until the renderer is loaded.
import { lazy, Suspense, useEffect } from 'react';
import type { MarkdownProps } from './markdown.tsx';

const load = () => import('./markdown.tsx');
const Rendered = lazy(load);

/** Loads the renderer before there is anything to render. */
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
