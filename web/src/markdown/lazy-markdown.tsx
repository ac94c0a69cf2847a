// Markdown, with the text as it is until the renderer has arrived.
import { lazy, Suspense } from 'react';

export interface MarkdownProps {
  readonly text: string;
  /** More of the text is coming. */
  readonly isWriting: boolean;
}

const Rendered = lazy(() => import('./markdown.tsx'));

export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<div className="markdown whitespace-pre-wrap">{props.text}</div>}>
      <Rendered {...props} />
    </Suspense>
  );
}
