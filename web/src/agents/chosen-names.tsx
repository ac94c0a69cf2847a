// All of something, or those that are ticked.
import { CheckBox } from '../ui/check-box.tsx';

interface ChosenNamesProps {
  readonly label: string;
  /** What the box for all of them says. */
  readonly all: string;
  readonly names: readonly { readonly name: string; readonly hint?: string }[];
  /** `null`: all. Names that are not offered stay chosen. */
  readonly chosen: string[] | null;
  readonly onChange: (chosen: string[] | null) => void;
}

export function ChosenNames({ label, all, names, chosen, onChange }: ChosenNamesProps) {
  const offered = new Set(names.map(({ name }) => name));
  const others = (chosen ?? [])
    .filter((name) => !offered.has(name))
    .map((name) => ({ name, hint: undefined }));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <CheckBox
        label={all}
        checked={chosen === null}
        onChange={({ target }) => onChange(target.checked ? null : names.map(({ name }) => name))}
      />
      {chosen !== null &&
        [...names, ...others].map(({ name, hint }) => (
          <CheckBox
            key={name}
            className="pl-6"
            label={name}
            hint={hint}
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((it) => it !== name))
            }
          />
        ))}
    </fieldset>
  );
}
