// Why a message is not in the conversation: the bits of `run_events.is_replaced`.

/** A run or a state update from an older checkpoint went on without it. */
export const LEFT_BEHIND = 1;
/** A state update took it out. */
export const REMOVED = 2;
/** A run said again what was there already. */
export const REPEATED = 4;

/** What tells of a message after it was said; never listed itself, so it is `LEFT_BEHIND` from its beginning. */
export const REVISION_EVENTS = ['message_edited', 'message_removed'] as const;
