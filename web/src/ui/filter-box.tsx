// A box that narrows a list while one types.
interface FilterBoxProps {
  /** What is filtered, for those who do not see the place of it. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function FilterBox({ label, value, onChange }: FilterBoxProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder="Filter"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className="h-10 w-full min-w-0 flex-1 rounded-lg border border-input bg-surface px-3 text-base shadow-xs placeholder:text-muted-foreground focus-visible:outline-offset-0 sm:text-sm"
    />
  );
}
