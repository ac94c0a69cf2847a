// Stands in for the tracing client that the SDK's message classes bring along: this page traces nothing.

/** Never made here; its place in type checks of the SDK stays empty. */
export class RunTree {}
export class Client {}

export function isRunTree(): boolean {
  return false;
}

export function getCurrentRunTree(): undefined {
  return undefined;
}

export function getDefaultProjectName(): string {
  return 'default';
}

export function convertToDottedOrderFormat(): never {
  throw new Error('This page traces nothing.');
}

export function isTraceableFunction(): boolean {
  return false;
}
