// A switch that is on or off, with a place to touch that is larger than what is seen.
import { Switch as Primitive } from 'radix-ui';

interface SwitchProps {
  /** What it switches, for those who do not see the place of it. */
  readonly label: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, disabled = false, onChange }: SwitchProps) {
  return (
    <Primitive.Root
      aria-label={label}
      checked={isOn}
      disabled={disabled}
      onCheckedChange={onChange}
      className="group grid h-10 w-12 shrink-0 cursor-pointer place-items-center rounded-lg disabled:cursor-default disabled:opacity-50"
    >
      <span className="flex h-5 w-9 items-center rounded-full bg-input p-0.5 transition-colors group-data-[state=checked]:bg-primary">
        <Primitive.Thumb className="size-4 rounded-full bg-surface shadow-xs transition-transform data-[state=checked]:translate-x-4" />
      </span>
    </Primitive.Root>
  );
}
