// A link of an answer: elsewhere in a tab of its own, to a footnote within the same answer.
import type { MouseEvent, ReactNode } from 'react';

interface LinkProps {
  readonly href?: string | undefined;
  readonly id?: string | undefined;
  readonly children?: ReactNode;
}

export function Link({ href, id, children }: LinkProps) {
  if (href?.startsWith('#') === true) {
    return (
      <a href={href} id={id} onClick={goToNote}>
        {children}
      </a>
    );
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Each answer numbers its notes from 1, so the address alone would lead to the first answer that has one. */
function goToNote(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault();
  const link = event.currentTarget;
  const id = link.hash.slice(1);
  const note = [...(link.closest('.markdown')?.querySelectorAll('[id]') ?? [])].find((it) => it.id === id);
  if (!(note instanceof HTMLElement)) return;
  if (!(note instanceof HTMLAnchorElement)) note.tabIndex = -1;
  note.scrollIntoView({ block: 'nearest' });
  note.focus({ preventScroll: true });
}
