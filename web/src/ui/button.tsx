// The button, in a few variants and sizes.
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';

const VARIANTS = {
  primary: 'bg-primary text-primary-foreground shadow-xs hover:bg-primary-strong',
  secondary: 'border border-input bg-surface text-foreground shadow-xs hover:bg-accent',
  ghost: 'text-foreground hover:bg-accent',
  quiet: 'text-muted-foreground hover:bg-accent hover:text-foreground',
  danger: 'bg-danger text-background shadow-xs hover:opacity-90',
} as const;

const SIZES = {
  regular: 'h-10 px-4 text-sm',
  small: 'h-8 px-3 text-[0.8125rem] pointer-coarse:h-10',
  icon: 'size-9 pointer-coarse:size-10',
  'icon-small': 'size-8 pointer-coarse:size-10',
} as const;

export type ButtonProps = ComponentProps<'button'> & {
  readonly variant?: keyof typeof VARIANTS;
  readonly size?: keyof typeof SIZES;
};

export function Button({
  variant = 'primary',
  size = 'regular',
  className,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={cn(
        'inline-flex shrink-0 items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap',
        'transition-colors duration-150 disabled:pointer-events-none disabled:opacity-50',
        '[&_svg]:size-4 [&_svg]:shrink-0',
        VARIANTS[variant],
        SIZES[size],
        className,
      )}
      {...rest}
    />
  );
}
