// What becomes of the Markdown of a document; nothing where it is there, or none is made.
import { Spinner } from '../ui/spinner.tsx';

interface ConversionLineProps {
  readonly isConverting: boolean;
  /** A sentence. */
  readonly error: string | undefined;
}

export function ConversionLine({ isConverting, error }: ConversionLineProps) {
  if (isConverting)
    return (
      <span
        data-conversion="converting"
        className="flex items-center gap-1.5 text-xs leading-4 text-muted-foreground"
      >
        <Spinner className="size-3 shrink-0" />
        Reading its text…
      </span>
    );
  if (error === undefined) return null;
  return (
    <span data-conversion="failed" className="block text-xs leading-4 text-warning [overflow-wrap:anywhere]">
      {error}
    </span>
  );
}
