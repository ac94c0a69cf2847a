// A quiet button below the composer that shows what is chosen, and opens the choices.
import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Button } from '../ui/button.tsx';
import { Menu, MenuChoice, MenuLabel } from '../ui/menu.tsx';

interface PickerMenuProps extends ComponentProps<typeof MenuChoice> {
  /** What is chosen here, such as "Model". */
  readonly title: string;
  /** The choice that holds now, as people read it. */
  readonly label: string;
}

export function PickerMenu({ title, label, ...choice }: PickerMenuProps) {
  return (
    <Menu
      align="start"
      side="top"
      className="max-w-72"
      trigger={
        <Button
          look="quiet"
          size="small"
          aria-label={`${title}: ${label}`}
          className="min-w-0 shrink px-2.5 max-sm:gap-1 max-sm:px-1.5"
        >
          <span className="truncate">{label}</span>
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      <MenuLabel>{title}</MenuLabel>
      <MenuChoice {...choice} />
    </Menu>
  );
}
