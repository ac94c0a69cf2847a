// The current time as a hook, and a countdown.
import { useEffect, useState } from 'react';

const REFRESH_MS = 30_000;

export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Returns the remaining seconds. 0 when there is nothing to wait for. */
export function useCountdown(start: { readonly seconds: number } | undefined): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (start === undefined) return;
    const end = Date.now() + start.seconds * 1_000;
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1_000)));
    tick();
    const timer = setInterval(tick, 500);
    return () => {
      clearInterval(timer);
      setLeft(0);
    };
  }, [start]);
  return left;
}
