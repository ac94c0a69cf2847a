// Joins class names. A later utility overrides an earlier one of the same kind.
import { type ClassValue, clsx } from 'clsx';
import { twMerge } from 'tailwind-merge';

export function cn(...classes: readonly ClassValue[]): string {
  return twMerge(clsx(classes));
}
