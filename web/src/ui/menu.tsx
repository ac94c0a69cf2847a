// A menu and a popover, each opened by its button.
import { Check } from 'lucide-react';
import { DropdownMenu, Popover as Primitive } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn.ts';

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2.5 py-2 text-sm pointer-coarse:py-2.5 outline-hidden select-none data-highlighted:bg-accent [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground';

interface MenuProps {
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'center' | 'end';
  readonly side?: 'top' | 'bottom';
  readonly className?: string;
}

/** `trigger` is one element that accepts a ref and props, such as a button. */
export function Menu({ trigger, children, align = 'end', side = 'bottom', className }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content
        align={align}
        side={side}
        sideOffset={6}
        collisionPadding={8}
        className={cn(
          'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-rise overflow-y-auto rounded-xl border border-border bg-surface p-1.5 shadow-float',
          className,
        )}
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

type MenuItemProps = ComponentProps<typeof DropdownMenu.Item> & { readonly tone?: 'regular' | 'danger' };

export function MenuItem({ className, tone = 'regular', ...rest }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      className={cn(ITEM, tone === 'danger' && 'text-danger [&_svg]:text-danger', className)}
      {...rest}
    />
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="mx-1 my-1.5 h-px bg-border" />;
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return (
    <DropdownMenu.Label className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-muted-foreground">
      {children}
    </DropdownMenu.Label>
  );
}

interface MenuChoiceProps<T extends string> {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly options: readonly { readonly value: T; readonly label: string; readonly note?: string }[];
}

/** A choice between options, with a mark at the selected one. */
export function MenuChoice<T extends string>({ value, onChange, options }: MenuChoiceProps<T>) {
  return (
    <DropdownMenu.RadioGroup
      value={value}
      onValueChange={(next) => {
        const chosen = options.find((it) => it.value === next);
        if (chosen !== undefined) onChange(chosen.value);
      }}
    >
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={cn(ITEM, 'pr-8 relative')}>
          <span className="min-w-0">
            <span className="block truncate">{option.label}</span>
            {option.note !== undefined && (
              <span className="block text-xs leading-snug text-muted-foreground">{option.note}</span>
            )}
          </span>
          <DropdownMenu.ItemIndicator className="absolute right-2.5">
            <Check aria-hidden />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

interface PopoverProps {
  /** One element that accepts a ref and props, such as a button. */
  readonly trigger: ReactNode;
  /** The topic of the box. */
  readonly label: string;
  readonly children: ReactNode;
}

export function Popover({ trigger, label, children }: PopoverProps) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-72 max-w-[calc(100vw-1rem)] animate-rise rounded-xl border border-border bg-surface p-4 shadow-float outline-hidden"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
