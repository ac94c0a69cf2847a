// A text with what was found in it marked; the text is never markup.
interface MarkedTextProps {
  readonly text: string;
  readonly marks: readonly (readonly [number, number])[];
}

export function MarkedText({ text, marks }: MarkedTextProps) {
  const last = marks.at(-1)?.[1] ?? 0;
  return (
    <>
      {marks.map(([start, end], index) => (
        <span key={start}>
          {text.slice(marks[index - 1]?.[1] ?? 0, start)}
          <mark className="rounded-sm bg-primary-soft text-inherit underline decoration-primary decoration-2 underline-offset-2">
            {text.slice(start, end)}
          </mark>
        </span>
      ))}
      {text.slice(last)}
    </>
  );
}
