// Text of a tool in a box of its own, as it is.

export function ScrollingText({ text }: { readonly text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-lg bg-code p-3 font-mono text-[0.8125rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere] focus-visible:-outline-offset-2"
    >
      {text}
    </pre>
  );
}
