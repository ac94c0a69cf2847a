// The used part of a limit, as a bar with a label.
import { cn } from '../ui/cn.ts';

interface MeterProps {
  readonly label: string;
  /** 1 is the whole limit. */
  readonly share: number;
  readonly text: string;
}

export function Meter({ label, share, text }: MeterProps) {
  const percent = Math.min(100, Math.round(share * 100));
  return (
    <div className="grid gap-1.5 text-sm">
      <div className="flex flex-wrap justify-between gap-x-4">
        <span>{label}</span>
        <span className="text-muted-foreground tabular-nums">{text}</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers do not let its looks be changed alike */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full bg-accent"
      >
        <div
          className={cn('h-full rounded-full', percent < 90 ? 'bg-primary' : 'bg-danger')}
          style={{ width: `${percent}%` }}
        />
      </div>
    </div>
  );
}
