// The button, in its few looks and sizes.
import { LoaderCircle } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';

const LOOKS = {
  primary: 'bg-primary text-primary-foreground shadow-xs hover:bg-primary-strong',
  secondary: 'border border-input bg-surface shadow-xs hover:bg-accent',
  quiet: 'text-muted-foreground hover:bg-accent hover:text-foreground',
  danger: 'bg-danger text-background shadow-xs hover:opacity-90',
};
const SIZES = { regular: 'h-10 px-4 text-sm', small: 'h-8 px-3 text-[0.8125rem]', icon: 'size-9' };

type Look = keyof typeof LOOKS;
type Size = keyof typeof SIZES;

/** The classes of a button, for links that look like one. */
export function buttonClass(look: Look = 'primary', size: Size = 'regular'): string {
  return cn(
    'inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors',
    'disabled:pointer-events-none disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
    LOOKS[look],
    SIZES[size],
  );
}

type ButtonProps = ComponentProps<'button'> & { look?: Look; size?: Size; isPending?: boolean };

/** While something is pending the button says so, and cannot be pressed. */
export function Button({ look, size, isPending = false, disabled, className, children, ...rest }: ButtonProps) {
  return (
    <button type="button" disabled={isPending || disabled} className={cn(buttonClass(look, size), className)} {...rest}>
      {isPending && <LoaderCircle aria-hidden className="animate-spin" />}
      {children}
    </button>
  );
}
