// Replaces the tracing client that the message classes of the SDK import. This page traces nothing.

/** Never constructed here. It only satisfies the type checks of the SDK. */
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
