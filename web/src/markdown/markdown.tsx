// Renders Markdown while it is being written: half-finished constructs are closed, scripts are removed.
import { memo } from 'react';
import { type Components, Streamdown } from 'streamdown';
import { CodeBlock } from './code-block.tsx';
import type { MarkdownProps } from './lazy-markdown.tsx';
import './markdown.css';

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  // Images are not loaded from elsewhere: the address would tell others what is read here.
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt === undefined || alt === '' ? 'Image' : `Image: ${alt}`}
    </a>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard.
    <section tabIndex={0} aria-label="Table" className="overflow-x-auto">
      <table>{children}</table>
    </section>
  ),
  inlineCode: ({ children }) => <code className="inline-code">{children}</code>,
  code: ({ className, children }) => (
    <CodeBlock language={languageOf(className)} code={typeof children === 'string' ? children : ''} />
  ),
};

export default memo(function RenderedMarkdown({ text, isWriting }: MarkdownProps) {
  return (
    <Streamdown
      className="markdown min-w-0"
      mode="streaming"
      isAnimating={isWriting}
      components={COMPONENTS}
      linkSafety={{ enabled: false }}
      controls={false}
    >
      {text}
    </Streamdown>
  );
});

function languageOf(className: string | undefined): string {
  return /language-([^\s]+)/.exec(className ?? '')?.[1] ?? '';
}
