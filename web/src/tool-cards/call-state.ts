// How a call stands: as its result says, else as what becomes of calls without one.
import type { CallCardProps, CallState } from '../chat/call-view.tsx';

export function callStateOf(
  result: CallCardProps['result'],
  turnState: CallCardProps['turnState'],
): CallState {
  return result?.status ?? (turnState === 'over' ? 'stopped' : turnState);
}
