// Tokens, costs and models as text.
import { useQuery } from '@tanstack/react-query';
import type { Spent } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';

const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

export function tokensText(tokens: number): string {
  return tokens < 100_000 ? whole.format(tokens) : short.format(tokens);
}

/** Returns the exact number, for budgets, where the amount and its limit are read side by side. */
export function exactTokensText(tokens: number): string {
  return whole.format(tokens);
}

/** Returns a rounded number, for the scale of a chart. */
export function shortTokensText(tokens: number): string {
  return short.format(tokens);
}

/** Returns the amount with its currency. Small amounts keep two significant digits. */
export function moneyText(amount: number, currency: string): string {
  const isSmall = amount > 0 && amount < 0.1;
  const digits = isSmall ? { maximumSignificantDigits: 2 } : {};
  return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...digits }).format(amount);
}

/** Returns undefined when no price is known. */
export function costText({ cost }: Pick<Spent, 'cost'>): string | undefined {
  if (cost === null) return undefined;
  return [cost, ...(cost.also ?? [])].map(({ amount, currency }) => moneyText(amount, currency)).join(' + ');
}

/** `date` is a day in UTC. */
export function dayText(date: string): string {
  return dayFormat.format(new Date(`${date}T00:00:00Z`));
}

/** Returns at least `1 s`, so that short work does not read as none. */
export function durationText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

export function timeText(moment: string): string {
  return timeFormat.format(new Date(moment));
}

/** Returns the display name, or the name itself for models that the service no longer offers. */
export function useModelNames(): (name: string) => string {
  const { api } = useServices();
  const models = useQuery({ queryKey: ['models'], queryFn: () => api.models() }).data ?? [];
  return (name) => models.find((it) => it.name === name)?.display_name ?? name;
}
