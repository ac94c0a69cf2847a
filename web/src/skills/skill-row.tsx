// One skill of the list: opens, and is switched on and off.
import { Link } from '@tanstack/react-router';
import type { Skill } from '../api/skill-shapes.ts';
import { Badge } from '../ui/badge.tsx';
import { Switch } from '../ui/switch.tsx';

interface SkillRowProps {
  readonly skill: Skill;
  readonly onSwitch: (isOn: boolean) => void;
}

export function SkillRow({ skill, onSwitch }: SkillRowProps) {
  const { name, display_name, description, enabled, globally_enabled } = skill;
  return (
    <li className="flex items-center gap-2 pr-2 hover:bg-accent/50">
      <Link
        to="/skills/$skillName"
        params={{ skillName: name }}
        className="grid min-w-0 flex-1 gap-0.5 py-3 pl-4 focus-visible:-outline-offset-2"
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <span className="[overflow-wrap:anywhere]">{display_name}</span>
          {!globally_enabled && <Badge>Off for everyone</Badge>}
        </span>
        <span className="line-clamp-2 text-[0.8125rem] leading-snug text-muted-foreground [overflow-wrap:anywhere]">
          {description}
        </span>
      </Link>
      <Switch
        label={`Use ${display_name}`}
        isOn={enabled && globally_enabled}
        disabled={!globally_enabled}
        onChange={onSwitch}
      />
    </li>
  );
}
