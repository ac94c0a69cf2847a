// The skills that can be chosen for a message, above the box in which it is written.
import { useEffect } from 'react';
import { cn } from '../ui/cn.ts';
import type { SkillChoice } from './use-skill-choice.ts';

export function SkillList({ listId, skills, active, optionId, choose }: SkillChoice) {
  const activeId = active === undefined ? undefined : optionId(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  if (skills.length === 0) return null;
  return (
    <>
      <div
        id={listId}
        role="listbox"
        aria-label="Skills"
        className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-[min(20rem,45dvh)] animate-rise overflow-y-auto rounded-xl border border-border bg-surface p-1.5 shadow-float"
      >
        {skills.map((skill) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box that keeps the focus takes the keys.
          <div
            key={skill.name}
            id={optionId(skill)}
            role="option"
            tabIndex={-1}
            aria-selected={skill === active}
            // The box keeps the focus, and on a phone its keyboard.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(skill)}
            className={cn(
              'grid min-h-10 cursor-pointer gap-0.5 rounded-md px-2.5 py-2 text-sm',
              skill === active ? 'bg-accent' : 'hover:bg-accent/60',
            )}
          >
            <span className="font-mono text-[0.8125rem] font-medium">/{skill.name}</span>
            <span className="truncate text-[0.8125rem] text-muted-foreground">{skill.description}</span>
          </div>
        ))}
      </div>
      <p role="status" className="sr-only">
        {skills.length === 1 ? '1 skill' : `${skills.length} skills`}. Choose one with the arrow keys and
        Enter.
      </p>
    </>
  );
}
